// A synchronous write for every line: the program as first written.
'use strict';

const fs = require('node:fs');
const peer = require('../common/node/peer.js');

function text(options) {
  const file = fs.openSync(options.file, peer.flags(options));
  let written = 0;
  for (let n = 1; ; n++) {
    const tabs = '\t'.repeat(n % 8);
    const line = `${tabs}All work and no play makes ${peer.names[n % 6]} a dull boy.\n`;
    if (written + line.length > options.size) break;
    fs.appendFileSync(file, line); // unlike writeSync, it finishes short writes
    written += line.length;
  }
  fs.closeSync(file);
  peer.cut(options.file, written);
}

peer.run(text, { workloads: ['text'], options: ['write-through', 'overwrite'] });
