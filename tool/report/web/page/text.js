"use strict";
// Figures and names as people read them.

const classWords = {
  none: "durability none",
  at_close: "durable at close",
  each_write: "durable at each write",
  cold: "reading, cold",
  warm: "reading, warm",
};

function escapeHtml(text) {
  const safe = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
  return String(text).replace(/[&<>"']/g, (c) => safe[c]);
}

// Three significant digits, groups of thousands.
function figure(value) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size >= 1000 || Number.isInteger(value)) return Math.round(value).toLocaleString("en-US");
  if (size === 0) return "0";
  if (size < 0.0005) return value.toExponential(1);
  const digits = size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3;
  return value.toFixed(digits);
}

function count(value) {
  return value === null || value === undefined ? "–" : Math.round(value).toLocaleString("en-US");
}

function plural(number, one, many = one + "s") {
  return `${count(number)} ${number === 1 ? one : many}`;
}

// An estimate is [value] of one trial, [value, low, high] of too few for an interval, or [value, low, high, confidence].
function hasRange(estimate) {
  return Boolean(estimate) && estimate.length > 1;
}

function hasInterval(estimate) {
  return Boolean(estimate) && estimate.length > 3;
}

function range(estimate, words = figure) {
  return hasRange(estimate) ? `${words(estimate[1])}–${words(estimate[2])}` : "–";
}

function withRange(estimate, words = figure) {
  if (!estimate) return "–";
  if (!hasRange(estimate)) return `${words(estimate[0])} (one trial)`;
  return `${words(estimate[0])} (${hasInterval(estimate) ? "" : "range "}${range(estimate, words)})`;
}

// What a range is.
function rangeKind(estimate) {
  return !hasRange(estimate) ? "one trial" : hasInterval(estimate) ? `${figure(100 * estimate[3])} % interval` : "range of all";
}

function bytes(value) {
  if (!value) return "–";
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  const power = Math.min(units.length - 1, Math.floor(Math.log2(value) / 10));
  const scaled = value / 2 ** (10 * power);
  return `${Number.isInteger(scaled) ? scaled : scaled.toPrecision(3)} ${units[power]}`;
}

function duration(nanoseconds) {
  const units = [["s", 1e9], ["ms", 1e6], ["µs", 1e3], ["ns", 1]];
  const [unit, size] = units.find((each) => nanoseconds >= each[1]) || units[3];
  return `${Number((nanoseconds / size).toPrecision(3))} ${unit}`;
}

function dateOf(seconds) {
  return seconds ? new Date(seconds * 1000).toISOString().slice(0, 16).replace("T", " ") + " UTC" : "–";
}

function listed(words) {
  if (words.length < 2) return words.join("");
  return `${words.slice(0, -1).join(", ")} and ${words[words.length - 1]}`;
}

// An element with a class and text; text is never taken for markup.
function element(tag, className, text) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  return node;
}
