// The colours of Okabe and Ito, which colour-blind people can distinguish; symbols and dashes differ as well.
// Source: Okabe and Ito, Color Universal Design (2008). In the dark theme, the darker ones are lightened.

const palettes = {
  light: { series: ["#0072b2", "#d55e00", "#009e73", "#aa4f86", "#b37700", "#3391cc", "#4d4d4d"],
    ink: "#1b2430", soft: "#566172", line: "#d9dee5", paper: "#ffffff", bad: "#b03a00" },
  dark: { series: ["#56b4e9", "#ff8f4d", "#2fc79a", "#e09ac4", "#e6b23c", "#9ad0f2", "#c8c8c8"],
    ink: "#e4e8ee", soft: "#9aa6b5", line: "#2f3843", paper: "#12161c", bad: "#ff9463" },
};
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

// Each method looks the same in all charts.
const methodNumbers = new Map();
for (const row of report.rows) if (!methodNumbers.has(row.method)) methodNumbers.set(row.method, methodNumbers.size);

function lookOf(number) {
  const { series } = colours();
  return {
    color: series[number % series.length],
    symbol: symbols[number % symbols.length],
    dash: dashes[number % dashes.length],
  };
}

function lookOfMethod(method) {
  return lookOf(methodNumbers.get(method) ?? 0);
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

function axis(name, more = {}) {
  const { soft, line } = colours();
  const { axisLabel, ...rest } = more;
  return {
    type: "value",
    name,
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
