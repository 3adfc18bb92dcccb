// Bypasses the page cache with O_DIRECT: a thread of Node's pool writes one block while the program fills the other.
'use strict';

const fs = require('node:fs');
const { promisify } = require('node:util');
const peer = require('../common/node/peer.js');

const writeSome = promisify(fs.write);
const tabs = Array.from({ length: 8 }, (_, count) => '\t'.repeat(count));
const gathered = 8192; // characters encoded at a time; much longer strings cost more to flatten

// Direct I/O needs page-aligned memory, which WebAssembly's is; a Buffer may begin anywhere.
function makeBlock(size) {
  return Buffer.from(new WebAssembly.Memory({ initial: Math.ceil(size / 65536) }).buffer, 0, size);
}

class Blocks {
  constructor(file, size) {
    this.file = file;
    this.block = makeBlock(size);
    this.other = makeBlock(size); // in flight, or empty
    this.used = 0;
    this.writing = Promise.resolve();
  }

  async put(text) {
    while (text.length >= this.block.length - this.used) {
      const room = this.block.length - this.used;
      this.block.write(text.slice(0, room), this.used, 'latin1');
      await this.emit(this.block.length);
      text = text.slice(room);
    }
    this.used += this.block.write(text, this.used, 'latin1');
  }

  // Starts to write the block, and makes the other one the block to fill as soon as that one is written.
  async emit(length) {
    await this.writing;
    this.writing = this.writeAll(this.block, length);
    [this.block, this.other] = [this.other, this.block];
    this.used = 0;
  }

  async writeAll(block, length) {
    for (let done = 0; done < length; ) done += await writeSome(this.file, block, done, length - done);
  }
}

async function text(out, size) {
  let written = 0;
  let lines = '';
  for (let n = 1; written + peer.lineLength(n) <= size; n++) {
    lines += tabs[n % 8];
    lines += 'All work and no play makes ';
    lines += peer.names[n % 6];
    lines += ' a dull boy.\n';
    written += peer.lineLength(n);
    if (lines.length >= gathered) {
      await out.put(lines);
      lines = '';
    }
  }
  await out.put(lines);
  return written;
}

async function write(options) {
  const file = fs.openSync(options.file, peer.flags(options));
  const out = new Blocks(file, options.buffer);
  const written = await text(out, options.size);
  await out.emit(Math.ceil(out.used / peer.page) * peer.page); // the file is truncated afterwards
  await out.writing;
  peer.finish(file, written);
}

peer.run(write, {
  workloads: ['text'],
  options: ['buffer', 'write-through', 'no-cache', 'overwrite'],
  direct: true,
});
