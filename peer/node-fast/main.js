// Gathers strings, encodes them into a block of its own and writes it with writeSync, also with direct I/O.
'use strict';

const fs = require('node:fs');
const peer = require('../common/node/peer.js');

const tabs = Array.from({ length: 8 }, (_, count) => '\t'.repeat(count));
const gathered = 8192; // characters encoded at a time; much longer strings cost more to flatten

class Blocks {
  constructor(file, size) {
    this.file = file;
    // Direct I/O needs page-aligned memory, which WebAssembly's is; a Buffer may begin anywhere.
    const memory = new WebAssembly.Memory({ initial: Math.ceil(size / 65536) });
    this.block = Buffer.from(memory.buffer, 0, size);
    this.used = 0;
  }

  put(text) {
    while (text.length >= this.block.length - this.used) {
      const room = this.block.length - this.used;
      this.block.write(text.slice(0, room), this.used, 'latin1');
      this.emit(this.block.length);
      text = text.slice(room);
    }
    this.used += this.block.write(text, this.used, 'latin1');
  }

  putByte(byte) {
    this.block[this.used++] = byte;
    if (this.used === this.block.length) this.emit(this.used);
  }

  emit(length) {
    for (let done = 0; done < length; ) {
      done += fs.writeSync(this.file, this.block, done, length - done);
    }
    this.used = 0;
  }
}

function text(out, size) {
  let written = 0;
  let lines = '';
  for (let n = 1; written + peer.lineLength(n) <= size; n++) {
    lines += tabs[n % 8];
    lines += 'All work and no play makes ';
    lines += peer.names[n % 6];
    lines += ' a dull boy.\n';
    written += peer.lineLength(n);
    if (lines.length >= gathered) {
      out.put(lines);
      lines = '';
    }
  }
  out.put(lines);
  return written;
}

function bytes(out, size) {
  const table = peer.byteTable();
  for (let i = 0; i < size; i++) out.putByte(table[i % 65536]);
  return size;
}

function write(options) {
  const file = fs.openSync(options.file, peer.flags(options));
  const out = new Blocks(file, options.buffer);
  const written = (options.workload === 'bytes' ? bytes : text)(out, options.size);
  const pages = Math.ceil(out.used / peer.page) * peer.page;
  out.emit(options['no-cache'] ? pages : out.used); // the file is truncated afterwards
  peer.finish(file, written);
}

peer.run(write, {
  workloads: ['text', 'bytes'],
  options: ['buffer', 'write-through', 'no-cache', 'overwrite'],
});
