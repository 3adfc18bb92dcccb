// createWriteStream, pausing whenever the stream asks for it.
'use strict';

const fs = require('node:fs');
const { once } = require('node:events');
const { finished } = require('node:stream/promises');
const peer = require('../common/node/peer.js');

async function text(out, size) {
  let written = 0;
  for (let n = 1; ; n++) {
    const tabs = '\t'.repeat(n % 8);
    const line = `${tabs}All work and no play makes ${peer.names[n % 6]} a dull boy.\n`;
    if (written + line.length > size) return written;
    if (!out.write(line)) await once(out, 'drain');
    written += line.length;
  }
}

async function bytes(out, size) {
  const table = peer.byteTable();
  for (let i = 0; i < size; i++) {
    const at = i % table.length;
    if (!out.write(table.subarray(at, at + 1))) await once(out, 'drain');
  }
  return size;
}

async function write(options) {
  const out = fs.createWriteStream(options.file, {
    flags: peer.flags(options),
    highWaterMark: options.buffer,
  });
  const work = options.workload === 'bytes' ? bytes : text;
  const written = await work(out, options.size);
  out.end();
  await finished(out);
  peer.cut(options.file, written);
}

peer.run(write, {
  workloads: ['text', 'bytes'],
  options: ['buffer', 'write-through', 'overwrite'],
});
