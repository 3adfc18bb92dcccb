// What every Node peer needs besides its way of writing: the options, the protocol, and the workloads.
'use strict';

const fs = require('node:fs');

const names = [
  'Jack',
  'Justin Michel',
  'Fred Flintstone',
  'Barney Rubble',
  'Homer J. Simpson',
  'John Jacob Jingleheimer Schmidt',
];

// Direct I/O needs memory, lengths and offsets to be multiples of this.
const page = 4096;

// The content of the workload "bytes".
function byteTable() {
  let x = 1;
  return Uint8Array.from({ length: 65536 }, () => {
    x = (Math.imul(x, 1664525) + 1013904223) >>> 0;
    return x >>> 24;
  });
}

// Used to stop before the first line that would exceed the size.
function lineLength(n) {
  return (n % 8) + 'All work and no play makes  a dull boy.\n'.length + names[n % 6].length;
}

// The flags for open().
function flags(options) {
  const { O_WRONLY, O_CREAT, O_TRUNC, O_DSYNC, O_DIRECT } = fs.constants;
  return (
    O_WRONLY |
    (options.target === 'new' ? O_CREAT | O_TRUNC : 0) |
    (options['write-through'] ? O_DSYNC : 0) |
    (options['no-cache'] ? O_DIRECT : 0)
  );
}

// The method that `closed` reports.
let methodAtWork = 'buffered';

// Truncates the open file if it is longer than its content, and closes it. Before that, it asks the kernel by which
// method it was written.
function finish(file, written) {
  const [, flags] = fs.readFileSync(`/proc/self/fdinfo/${file}`, 'latin1').match(/^flags:\s*([0-7]+)/m);
  if (parseInt(flags, 8) & fs.constants.O_DIRECT) methodAtWork = 'direct';
  if (fs.fstatSync(file).size > written) fs.ftruncateSync(file, written);
  fs.closeSync(file);
}

// Truncates the file if it is longer than its content.
function cut(file, written) {
  if (fs.statSync(file).size > written) fs.truncateSync(file, written);
}

// Does the work between reading the two lines.
async function run(work, supported) {
  const options = parse(supported);
  sayAndWait('ready');
  try {
    await work(options);
  } catch (error) {
    if (!error.syscall) throw error;
    const [reason] = error.message.split(', '); // the call and the path follow the reason
    fail(1, `${error.syscall} '${options.file}': ${reason}`);
  }
  sayAndWait(`closed ${methodAtWork}`);
}

function fail(status, message) {
  console.error(message);
  process.exit(status);
}

// The end of the input counts as a line.
function sayAndWait(line) {
  fs.writeSync(1, `${line}\n`);
  const byte = Buffer.alloc(1);
  while (fs.readSync(0, byte) === 1 && byte[0] !== 10);
}

function parse({ workloads, options: supported, direct }) {
  const options = { workload: 'text', target: 'new', buffer: 64 << 10 };
  const words = process.argv.slice(2);
  while (words.length > 0) {
    const word = words.shift();
    const name = word.replace(/^--/, '');
    const known = ['file', 'size', 'workload', 'target', ...supported].includes(name);
    if (!known || word === name) fail(2, `${word} is unknown or not supported`);
    const isSwitch = ['write-through', 'no-cache'].includes(name);
    if (!isSwitch && words.length === 0) fail(2, `${word} needs a value`);
    options[name] = isSwitch || words.shift();
  }
  options['no-cache'] ||= direct === true; // a peer that is direct always bypasses the cache
  if (!options.file) fail(2, '--file is needed');
  for (const name of ['size', 'buffer']) {
    if (!/^\d+$/.test(options[name]) || !Number.isSafeInteger(Number(options[name]))) fail(2, `--${name} is a number of bytes`);
    options[name] = Number(options[name]);
  }
  const targets = supported.includes('overwrite') ? ['new', 'overwrite'] : ['new'];
  if (!targets.includes(options.target)) fail(2, `--target is one of ${targets}`);
  if (!workloads.includes(options.workload)) fail(2, `--workload is one of ${workloads}`);
  if (options.buffer < 1 || options.buffer > 2 ** 30) fail(2, '--buffer is 1 to 1073741824 bytes');
  if (options['no-cache'] && options.buffer % page !== 0) {
    fail(2, `--buffer must be a multiple of ${page} with --no-cache`);
  }
  return options;
}

module.exports = { names, page, byteTable, lineLength, flags, finish, cut, run };
