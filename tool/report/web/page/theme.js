// How charts look, in the theme that is chosen.

// All symbols are filled, because the library fills hollow ones with white whatever the page's colour.
const symbols = ["circle", "diamond", "triangle", "rect",
  "path://M0 0H10L5 9Z", "path://M3 0H7V3H10V7H7V10H3V7H0V3H3Z", "path://M0 0H10L0 10H10Z", "path://M0 0V10L10 0V10Z"];
const dashes = ["solid", [7, 4], [2, 3], [9, 3, 2, 3], [12, 4]];

const prefersDark = window.matchMedia("(prefers-color-scheme: dark)");
const printing = window.matchMedia("print");
let wishedTheme = "auto";

function themeName() {
  if (printing.matches) return "light";
  if (wishedTheme !== "auto") return wishedTheme;
  return prefersDark.matches ? "dark" : "light";
}

function colours() {
  return palettes[themeName()];
}

// Each method has one colour in all charts. Those that were measured most, in contests of methods, come first; those for which no
// colour is left share one.
function numberMethods() {
  const trials = new Map();
  for (const { method, group, trials: number } of report.rows) {
    const { kind, role } = report.groups[group];
    trials.set(method, (trials.get(method) ?? 0) + (kind === "methods" && role === "contest" ? number : 0));
  }
  return new Map([...trials].sort(([, a], [, b]) => b - a).map(([method], number) => [method, number]));
}

const methodNumbers = numberMethods();

const otherMethods = "other methods";

function colourName(method) {
  return methodNumbers.get(method) < colours().methods.length ? method : otherMethods;
}

// `number`: tells plans of one method apart, by their symbols and dashes.
function lookOf(method, number = methodNumbers.get(method)) {
  const { methods, other } = colours();
  return { color: methods[methodNumbers.get(method)] ?? other, symbol: symbols[number % symbols.length], dash: dashes[number % dashes.length] };
}

// Options common to all charts.
function baseOption() {
  const { ink, soft, line, paper } = colours();
  return {
    animation: false,
    textStyle: { color: ink, fontFamily: getComputedStyle(document.body).fontFamily, fontSize: 12 },
    tooltip: { backgroundColor: paper, borderColor: line, textStyle: { color: ink, fontSize: 12 }, confine: true },
  };
}

// A legend in as many lines as its names need, and the grid below it. Marks are short if they have no line.
function underLegend(names, width, grid, isShort = false) {
  const mark = isShort ? 11 : 26;
  const lineHeight = 20;
  let lines = 1;
  let used = 0;
  for (const name of names) {
    const needed = mark + 18 + 6.6 * name.length;
    if (used > 0 && used + needed > width) {
      ++lines;
      used = 0;
    }
    used += needed;
  }
  const legend = { data: names, left: 0, top: 0, itemGap: 10, itemWidth: mark, itemHeight: 9, textStyle: { color: colours().soft, fontSize: 12 } };
  return { legend, grid: { ...grid, top: 12 + lines * lineHeight } };
}

// The name of an axis of figures says whether it is linear or logarithmic, unless `scale` says otherwise.
const scaleWords = { value: "linear", log: "log" };

function axis(name, more = {}) {
  const { soft, line } = colours();
  const { axisLabel, type = "value", scale = scaleWords[type], ...rest } = more;
  return {
    type,
    name: scale ? `${name}, ${scale}` : name,
    nameLocation: "middle",
    nameGap: 28,
    nameTextStyle: { color: soft },
    axisLabel: { color: soft, hideOverlap: true, ...axisLabel },
    axisLine: { show: true, onZero: false, lineStyle: { color: line } },
    axisTick: { show: false },
    splitLine: { lineStyle: { color: line, opacity: 0.6 } },
    ...rest,
  };
}

// An invisible axis for positions between two categories; the visible axis beside it has the labels.
function hiddenAxis(categories, more = {}) {
  return { type: "value", min: -0.5, max: categories - 0.5, show: false, ...more };
}

// Intervals as lines between their ends, which have caps; ranges of too few trials are dotted and have none. `ends` are
// triples: two points, and the estimate. `across`: the lines lie across the page, so that their caps stand upright.
function whiskers(name, ends, color, { across = false, ...more } = {}) {
  const drawn = (some) => some.flatMap(([from, to]) => [from, to, [NaN, NaN]]);
  const line = (of, data, type, symbol) => ({
    name: `${name}, ${of}`, type: "line", data, color, silent: true, symbol, symbolSize: across ? [1.5, 7] : [7, 1.5],
    showSymbol: true, lineStyle: { width: 1.5, color, type }, itemStyle: { color }, z: 6, tooltip: { show: false },
    connectNulls: false, ...more,
  });
  return [
    line("interval", drawn(ends.filter(([, , estimate]) => hasInterval(estimate))), "solid", "rect"),
    line("range", drawn(ends.filter(([, , estimate]) => hasRange(estimate) && !hasInterval(estimate))), [2, 2], "none"),
  ];
}
