// All trials in the order in which they were run, which makes drift visible.

const manyTrials = 4000;
let timelineShows = "share";

function rateOf(trial) {
  const row = report.rows[report.trials.row[trial]];
  return report.trials[report.groups[row.group].clock][trial];
}

function isWarmUp(trial) {
  return report.groups[report.rows[report.trials.row[trial]].group].role === "warm-up";
}

// As a share of its plan's median, so that all methods lie on one line and common changes become visible.
function heightOf(trial) {
  const rate = isWarmUp(trial) ? null : rateOf(trial);
  if (timelineShows === "rate" || rate === null) return rate;
  const median = speedOf(report.rows[report.trials.row[trial]]);
  return median ? rate / median[0] : null;
}

function isInvalid(trial) {
  return report.trials.verdict[trial] === "i";
}

// The median of each section of trials.
function rollingMedian(points) {
  const width = Math.max(9, Math.ceil(points.length / 60));
  const line = [];
  for (let from = 0; from + 4 < points.length; from += width) {
    const part = points.slice(from, from + width);
    const heights = part.map((point) => point[1]).sort((a, b) => a - b);
    line.push([part[Math.floor(part.length / 2)][0], heights[Math.floor(heights.length / 2)]]);
  }
  return line;
}

function timelineSeries(points) {
  const palette = colours();
  const methodOf = (trial) => report.rows[report.trials.row[trial]].method;
  const many = points.length > manyTrials;
  const size = many ? 2.5 : points.length > 600 ? 4 : 7;
  const byMethod = new Map();
  for (const point of points) {
    if (isInvalid(point[2])) continue;
    const name = colourName(methodOf(point[2]));
    if (!byMethod.has(name)) byMethod.set(name, []);
    byMethod.get(name).push(point);
  }
  const series = [...byMethod].sort(([, [a]], [, [b]]) => methodNumbers.get(methodOf(a[2])) - methodNumbers.get(methodOf(b[2]))).map(([name, own]) => {
    const look = lookOf(methodOf(own[0][2]));
    return { name, type: "scatter", data: own, symbol: look.symbol, symbolSize: size, large: many, largeThreshold: manyTrials,
      progressive: 0, itemStyle: { color: look.color, opacity: many ? 0.5 : 1, borderColor: look.color } };
  });
  const invalid = points.filter((point) => isInvalid(point[2]));
  if (invalid.length > 0)
    series.push({ name: "invalid", type: "scatter", data: invalid, symbol: "path://M0 0L10 10M10 0L0 10", symbolSize: many ? 5 : 8, z: 5,
      itemStyle: { color: "transparent", borderColor: palette.ink, borderWidth: 1.5, opacity: 1 } });
  if (timelineShows === "share")
    series.push({ name: "median of a stretch", type: "line", data: rollingMedian(points.filter((point) => !isInvalid(point[2]))), symbol: "none",
      silent: true, z: 6, lineStyle: { color: palette.ink, width: 2 }, itemStyle: { color: palette.ink } });
  return series;
}

function timelineTip(point) {
  const trial = point.value[2];
  const { trials, rows, reasons, runs } = report;
  const words = { v: "valid", i: "invalid", u: "unknown", d: "disturbed" }[trials.verdict[trial]];
  const why = trials.reason[trial] < 0 ? "" : `: ${escapeHtml(reasons[trials.reason[trial]])}`;
  return `<b>Trial ${trials.id[trial]}</b>, run ${runs[trials.run[trial]].id}<br>${escapeHtml(rows[trials.row[trial]].label)}<br>` +
    `${figure(rateOf(trial))} MB/s, ${dateOf(trials.started[trial])}<br>${words}${why}`;
}

function timelineSummary(trials, points) {
  const invalid = trials.filter(isInvalid).length;
  const warmUps = trials.filter(isWarmUp).length;
  const hidden = trials.length - points.length - warmUps;
  const valid = points.filter((point) => !isInvalid(point[2]));
  const words = [`${plural(trials.length, "trial")}, of which ${count(invalid)} ${invalid === 1 ? "is" : "are"} invalid.`];
  if (timelineShows === "share" && valid.length >= 20) {
    const line = rollingMedian(valid).map((point) => point[1]);
    words.push(`The median of a stretch lies between ${Math.round(100 * Math.min(...line))} and ${Math.round(100 * Math.max(...line))} % of the plans' own medians.`);
  }
  if (warmUps > 0) words.push(`${plural(warmUps, "warm-up")}, which ${warmUps === 1 ? "counts" : "count"} nowhere, only in the table.`);
  if (hidden > 0) words.push(`${plural(hidden, "trial")} without a figure to show, or of plans without a valid trial, only in the table.`);
  return words.join(" ");
}

// The places where runs start.
function runStarts(trials) {
  return trials.flatMap((trial, at) => at === 0 || report.trials.run[trial] !== report.trials.run[trials[at - 1]] ? [at] : []);
}

// Lines at the starts of runs, unless there are too many to distinguish.
function runMarks(starts) {
  if (starts.length > 24) return undefined;
  return { silent: true, symbol: "none", lineStyle: { color: colours().soft, type: "dotted", width: 1 }, label: { show: false },
    data: starts.map((at) => ({ xAxis: at })) };
}

// The names of runs above their starts, as many as there is room for.
function runAxis(trials, starts) {
  return axis("", { scale: "", position: "top", min: 0, max: Math.max(trials.length - 1, 1), splitLine: { show: false }, axisLine: { show: false },
    axisLabel: { customValues: starts, fontSize: 10, margin: 7, formatter: (at) => trials[at] === undefined ? "" : `run ${report.runs[report.trials.run[trials[at]]].id}` } });
}

function timelineChart() {
  const trials = shownTrials();
  if (trials.length === 0) return { empty: nothingPasses() };
  const points = trials.map((trial, at) => [at, heightOf(trial), trial]).filter((point) => point[1] !== null && point[1] > 0);
  return [{
    summary: timelineSummary(trials, points), height: 400, renderer: "canvas",
    option: (width) => {
      const series = timelineSeries(points);
      const starts = runStarts(trials);
      if (series.length > 0) series[0].markLine = runMarks(starts);
      const { legend, grid } = underLegend(series.map((each) => each.name), width - 60, { left: 62, right: 20, bottom: 78 }, true);
      const roomForRuns = 16;
      return {
        legend,
        grid: { ...grid, top: grid.top + roomForRuns },
        tooltip: { ...baseOption().tooltip, trigger: "item", formatter: timelineTip },
        dataZoom: [{ type: "slider", xAxisIndex: [0, 1], left: width < 600 ? 84 : 126, right: width < 600 ? 84 : 126, height: 18, bottom: 8, borderColor: colours().line, showDataShadow: false, brushSelect: false, textStyle: { color: colours().soft },
          labelFormatter: (at) => trials[Math.round(at)] === undefined ? "" : dateOf(report.trials.started[trials[Math.round(at)]]).slice(0, width < 600 ? 10 : 16) }],
        xAxis: [axis("trials, in the order in which they were made", { scale: "", min: 0, max: Math.max(trials.length - 1, 1), splitLine: { show: false } }),
          runAxis(trials, starts)],
        yAxis: axis(timelineShows === "rate" ? "MB/s" : "share of the plan's median",
          { type: "log", logBase: timelineShows === "rate" ? 10 : 2, nameGap: 46, axisLabel: { formatter: (value) => timelineShows === "rate" ? count(value) : `${Number((100 * value).toPrecision(3))} %` } }),
        series,
      };
    },
  }];
}

function timelineTools() {
  const tools = element("div", "tools");
  const label = element("label", "", "Height is ");
  const select = element("select");
  select.id = "timeline-shows";
  select.append(new Option("the share of the plan's median", "share"), new Option("MB/s", "rate"));
  select.addEventListener("change", () => {
    timelineShows = select.value;
    timelineSection.refresh();
  });
  label.append(select);
  tools.append(label);
  return hasCharts ? tools : undefined;
}

const timelineColumns = [
  { title: "Trial", number: true, text: (trial) => report.trials.id[trial] },
  { title: "Run", number: true, text: (trial) => report.runs[report.trials.run[trial]].id },
  { title: "Started", text: (trial) => dateOf(report.trials.started[trial]) },
  { title: "Workload", text: (trial) => report.groups[report.rows[report.trials.row[trial]].group].workload },
  { title: "Class", text: (trial) => report.groups[report.rows[report.trials.row[trial]].group].class },
  { title: "Plan", text: (trial) => report.rows[report.trials.row[trial]].label },
  { title: "Accepted MB/s", number: true, text: (trial) => figure(report.trials.close[trial]) },
  { title: "Durable MB/s", number: true, text: (trial) => figure(report.trials.disk[trial]) },
  { title: "CPU s/GB", number: true, text: (trial) => figure(report.trials.cpu[trial]) },
  { title: "Validity", text: (trial) => isWarmUp(trial) ? "warm-up" : ({ v: "valid", i: "invalid", u: "unknown", d: "disturbed" })[report.trials.verdict[trial]] },
  { title: "Why", words: true, text: (trial) => report.trials.reason[trial] < 0 ? "" : report.reasons[report.trials.reason[trial]] },
];
timelineColumns.isInvalid = isInvalid;

const timelineSection = new Section({
  id: "timeline",
  title: "All trials in order",
  short: "Trials",
  lead: "Every trial, the invalid ones included. Where a disk or machine becomes slower, or something else was at work, all methods sink together.",
  tools: timelineTools(),
  charts: timelineChart,
  table: () => ({ columns: timelineColumns, rows: shownTrials() }),
});
