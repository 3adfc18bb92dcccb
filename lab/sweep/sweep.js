// Files processed line by line: threads × work, as heat maps.

const fastestOfAll = "fastest";
const againstBuffering = "ratio";
let sweepShows = fastestOfAll;

// From dark to bright, distinguishable by lightness alone. Source: matplotlib's cividis.
const scale = ["#00224e", "#35456c", "#666970", "#948e77", "#c8b866", "#fee838"];
const [streamingSide, alike, bufferingSide] = ["#0072b2", "#f2f2f2", "#d55e00"];

function mixed(from, to, share) {
  const part = (text, at) => parseInt(text.slice(at, at + 2), 16);
  const channel = (at) => Math.round(part(from, at) + share * (part(to, at) - part(from, at))).toString(16).padStart(2, "0");
  return `#${channel(1)}${channel(3)}${channel(5)}`;
}

function scaleColour(share) {
  const at = Math.min(Math.max(share, 0), 1) * (scale.length - 1);
  const low = Math.min(Math.floor(at), scale.length - 2);
  return mixed(scale[low], scale[low + 1], at - low);
}

// Black or white, whichever is easier to read on the colour.
function inkOn(colour) {
  const [r, g, b] = [1, 3, 5].map((at) => (parseInt(colour.slice(at, at + 2), 16) / 255) ** 2.2);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.2 ? "#000000" : "#ffffff";
}

function cellsOf(rows) {
  const cells = new Map();
  for (const row of rows) {
    if (!row.used) continue;
    const { threads, work } = row.sweep;
    const key = `${threads} ${work}`;
    if (!cells.has(key)) cells.set(key, { threads, work, by: new Map() });
    const known = cells.get(key).by.get(row.sweep.strategy);
    if (!known || row.close[0] > known.close[0]) cells.get(key).by.set(row.sweep.strategy, row);
  }
  return [...cells.values()];
}

// The content of a cell: {row, value, text}; null if it is empty.
function shownOf(cell) {
  if (sweepShows === againstBuffering) {
    const [streaming, buffering] = ["streaming", "buffering"].map((name) => cell.by.get(name));
    if (!streaming || !buffering) return null;
    const ratio = buffering.close[0] / streaming.close[0];
    return { row: streaming, value: ratio, text: `${ratio.toFixed(2)}×` };
  }
  const rows = sweepShows === fastestOfAll ? [...cell.by.values()] : [cell.by.get(sweepShows)].filter(Boolean);
  if (rows.length === 0) return null;
  const row = rows.reduce((best, each) => each.close[0] > best.close[0] ? each : best);
  const busy = row.sweep.busy === null ? "" : `\nCPU ${Math.round(100 * row.sweep.busy)} %`;
  return { row, value: row.close[0], text: `${figure(row.close[0])} MB/s${sweepShows === fastestOfAll ? `\n${row.sweep.strategy}` : ""}${busy}` };
}

// A colour is the same speed in every heat map of the page: from the lowest to the highest of all.
const sweepSpeeds = report.rows.filter((row) => row.sweep && row.used > 0).map((row) => row.close[0]);
const [lowestSpeed, highestSpeed] = [Math.min(...sweepSpeeds), Math.max(...sweepSpeeds)];

function speedColour(speed) {
  return scaleColour(highestSpeed > lowestSpeed ? Math.log(speed / lowestSpeed) / Math.log(highestSpeed / lowestSpeed) : 1);
}

function ratioColour(ratio) {
  const lean = Math.max(-1, Math.min(1, Math.log2(ratio)));
  return mixed(alike, lean < 0 ? streamingSide : bufferingSide, Math.abs(lean));
}

function cellColour(value) {
  return sweepShows === againstBuffering ? ratioColour(value) : speedColour(value);
}

// What the colours mean: a strip of them between the words for its ends.
function heatLegend(width) {
  const [from, to] = sweepShows === againstBuffering ? ["streaming 2× as fast", "buffering 2× as fast"]
    : [`${figure(lowestSpeed)} MB/s`, `${figure(highestSpeed)} MB/s, log`];
  const strip = sweepShows === againstBuffering ? [streamingSide, alike, bufferingSide] : scale;
  const { soft } = colours();
  const words = (text, x, align) => ({ type: "text", silent: true, x, y: 6, style: { text, fill: soft, fontSize: 11, align, verticalAlign: "middle" } });
  const left = 6.4 * from.length + 12;
  const wide = Math.min(160, width - left - 6.4 * to.length - 20);
  return [words(from, 4, "left"), words(to, left + wide + 8, "left"),
    { type: "rect", silent: true, shape: { x: left, y: 1, width: wide, height: 10 },
      style: { fill: { type: "linear", x: 0, y: 0, x2: 1, y2: 0, colorStops: strip.map((color, i) => ({ offset: i / (strip.length - 1), color })) } } }];
}

// The index of the work level from which on the fastest cells keep the processors busy; -1 if there is none.
function crossoverPlace(group, works) {
  return group.cpu_bound_from === null ? -1 : works.indexOf(group.cpu_bound_from);
}

function sweepSummary(group, works, cells) {
  if (sweepShows === againstBuffering) {
    const ratios = cells.map(shownOf).filter(Boolean);
    const better = ratios.filter((each) => each.value < 1).length;
    return `Streaming is faster in ${better} of ${plural(ratios.length, "cell")}, buffering in ${ratios.length - better}. Buffering's speed as a multiple of streaming's.`;
  }
  // The first remark says where the limit lies, and how busy the processors are there.
  return [sweepShows === fastestOfAll ? group.headline : "", group.remarks[0] || ""].filter(Boolean).join(" ");
}

function sweepPanel(group, rows) {
  const cells = cellsOf(rows);
  const shown = cells.map((cell) => ({ cell, ...shownOf(cell) })).filter((each) => each.row);
  if (shown.length === 0) return null;
  const works = [...new Set(cells.map((cell) => cell.work))].sort((a, b) => a - b);
  const threads = [...new Set(cells.map((cell) => cell.threads))].sort((a, b) => a - b);
  const height = 108 + 58 * threads.length;
  return {
    title: headingOf(group, rows), height, onPaper: 1, summary: sweepSummary(group, works, cells),
    option: (width) => {
      const grid = { left: 44, right: 12, top: 44, bottom: 46 };
      const size = [(width - grid.left - grid.right) / works.length - 2, (height - grid.top - grid.bottom) / threads.length - 2];
      return {
        grid, legend: { show: false }, graphic: heatLegend(width),
        tooltip: { ...baseOption().tooltip, trigger: "item", formatter: (point) => point.data.tip },
        xAxis: [axis("work (times each line is encrypted)", { type: "category", data: works, splitLine: { show: false } }), hiddenAxis(works.length)],
        yAxis: [axis("threads", { type: "category", data: threads, splitLine: { show: false } }), hiddenAxis(threads.length)],
        series: [heatSeries(shown, works, threads, size), ...crossoverSeries(group, works, threads)],
      };
    },
  };
}

function heatSeries(shown, works, threads, size) {
  return {
    name: "cells", type: "scatter", symbol: "rect", symbolSize: size, z: 2,
    data: shown.map(({ cell, row, value, text }) => {
      const color = cellColour(value);
      return {
        value: [works.indexOf(cell.work), threads.indexOf(cell.threads), value],
        itemStyle: { color, opacity: 1 },
        label: { show: true, formatter: size[0] < 64 ? text.replace(" MB/s", "") : text, color: inkOn(color), fontSize: size[0] < 64 ? 9 : 11, lineHeight: 14 },
        tip: `<b>${plural(cell.threads, "thread")}, work ${cell.work}</b><br>` + [...cell.by.values()].map((each) =>
          `${escapeHtml(each.sweep.strategy)}: ${withRange(each.close)} MB/s, ${figure(each.sweep.seconds)} s`).join("<br>"),
      };
    }),
    emphasis: { disabled: true },
  };
}

// A line where the disk stops being the limit.
function crossoverSeries(group, works, threads) {
  const place = crossoverPlace(group, works);
  if (place <= 0) return [];
  const { ink, paper } = colours();
  const line = { type: "line", xAxisIndex: 1, yAxisIndex: 1, silent: true, symbol: "none", z: 6,
    data: [[place - 0.5, -0.5], [place - 0.5, threads.length - 0.5]] };
  return [{ ...line, name: "crossover's edge", lineStyle: { color: paper, width: 7, type: "solid" } }, {
    ...line, name: "crossover", z: 7, lineStyle: { color: ink, width: 3, type: "dashed" },
    endLabel: { show: true, formatter: "disk ◂ limit ▸ CPU", color: ink, fontSize: 11, position: "top", offset: [-52, -4] },
  }];
}

function sweepTools() {
  const strategies = [...new Set(report.rows.filter((row) => row.sweep).map((row) => row.sweep.strategy))];
  if (strategies.length === 0) return undefined;
  const choices = [[fastestOfAll, "the fastest strategy"], ...strategies.map((name) => [name, name])];
  if (strategies.includes("streaming") && strategies.includes("buffering")) choices.push([againstBuffering, "buffering against streaming"]);
  const tools = element("div", "tools");
  const label = element("label", "", "Each cell shows ");
  const select = element("select");
  select.id = "sweep-shows";
  for (const [value, words] of choices) select.append(new Option(words, value));
  select.addEventListener("change", () => {
    sweepShows = select.value;
    sweepSection.refresh();
  });
  label.append(select);
  tools.append(label);
  return tools;
}

const sweepSection = new Section({
  id: "sweep",
  title: "Threads × work",
  short: "Threads × work",
  lead: "Files processed line by line, each line encrypted so many times: MB of input per second until all files are closed. The dashed line " +
    "is where the disk stops being the limit and the processors begin to be.",
  tools: sweepTools(),
  charts: (shown) => panelsOf(shown.filter(({ group }) => group.role === "lines"), sweepPanel,
    filter.workload !== everything && filter.workload !== "lines"
      ? "The filter shows another workload; threads × work belong to “lines”."
      : "No files were processed line by line: freshet sweep measures that."),
  table: (shown) => ({
    columns: [
      { title: "Corpus", text: (row) => report.groups[row.group].special || "–" },
      { title: "Class", text: (row) => report.groups[row.group].class },
      { title: "Strategy", text: (row) => row.sweep.strategy },
      { title: "Threads", number: true, text: (row) => row.sweep.threads },
      { title: "Work", number: true, text: (row) => row.sweep.work },
      { title: "Seconds", number: true, text: (row) => figure(row.sweep.seconds || null) },
      { title: "MB/s", number: true, text: (row) => figure(row.close && row.close[0]) },
      { title: "Range", number: true, text: (row) => range(row.close) },
      { title: "CPU s/GB", number: true, text: (row) => figure(row.cpu && row.cpu[0]) },
      { title: "Busy", number: true, text: (row) => row.sweep.busy === null ? "–" : `${Math.round(100 * row.sweep.busy)} %` },
      { title: "Peak memory", number: true, text: (row) => bytes(row.peak_memory), value: (row) => row.peak_memory },
      { title: "Trials used", number: true, text: (row) => `${row.used} of ${row.trials}` },
    ],
    rows: rowsOf(shown).filter((row) => row.sweep),
  }),
});
