// Latency of calls by percentile, with the tail spread out.

const linesShown = 6;
const shares = [0.5, 0.9, 0.99, 0.999];

// The upper end, in nanoseconds, of the lowest bucket that contains this share of the calls together with those below.
function latencyAt(latency, share) {
  const all = latency.calls.reduce((sum, calls) => sum + calls, 0);
  const wanted = Math.ceil(share * all);
  let seen = 0;
  for (let i = 0; i < latency.calls.length; ++i) {
    seen += latency.calls[i];
    if (seen >= wanted) return latency.nanoseconds[i];
  }
  return latency.nanoseconds[latency.nanoseconds.length - 1];
}

function callsOf(latency) {
  return latency.calls.reduce((sum, calls) => sum + calls, 0);
}

// Points [nines, ms]: 1 is 90 %, 2 is 99 %; the slowest call of n lies at log10 n.
function latencyPoints(latency) {
  const all = callsOf(latency);
  let seen = 0;
  return latency.calls.map((calls, i) => {
    const nines = -Math.log10(1 - seen / all);
    seen += calls;
    return [Number(nines.toFixed(4)), latency.nanoseconds[i] / 1e6];
  }).concat([[Number(Math.log10(all).toFixed(4)), latency.nanoseconds[latency.nanoseconds.length - 1] / 1e6]]);
}

// 50, 90, 99 … %, as far as the axis reaches.
const ninesNamed = [0, Number(Math.log10(2).toFixed(4)), 1, 2, 3, 4, 5, 6, 7];

function ninesName(value) {
  return `${Number((100 - 100 * 10 ** -value).toFixed(Math.max(0, Math.ceil(value) - 2)))} %`;
}

function latencySeries(rows) {
  return rows.map((row, number) => {
    const look = lookOf(row.method, number);
    return { name: row.label, type: "line", step: "end", data: latencyPoints(row.latency), color: look.color, symbol: look.symbol, symbolSize: 7,
      showSymbol: true, showAllSymbol: false, lineStyle: { width: 2, type: look.dash, color: look.color } };
  });
}

function latencyPanel(group, all) {
  const rows = all.filter((row) => row.latency).slice(0, linesShown);
  if (rows.length === 0) return null;
  const tail = [...rows].sort((a, b) => latencyAt(a.latency, 0.99) - latencyAt(b.latency, 0.99));
  return {
    title: headingOf(group, rows), height: 330,
    summary: `Of ${listed([...new Set([tail[0], tail[tail.length - 1]])].map((row) =>
      `${row.label} half of the calls take up to ${duration(latencyAt(row.latency, 0.5))}, 99 % up to ${duration(latencyAt(row.latency, 0.99))}`))}.`,
    option: (width) => ({
      ...underLegend(rows.map((row) => row.label), width, { left: 62, right: 22, bottom: 44 }),
      tooltip: { ...baseOption().tooltip, trigger: "item", formatter: (point) =>
        `<b>${escapeHtml(point.seriesName)}</b><br>${(100 - 100 * 10 ** -point.value[0]).toPrecision(4)} % of the calls took up to ${duration(point.value[1] * 1e6)}` },
      xAxis: axis("share of the calls", { scale: "log towards 100 %", min: 0, interval: 1, axisLabel: { formatter: ninesName, customValues: ninesNamed } }),
      yAxis: axis("ms", { type: "log", nameGap: 46, axisLabel: { formatter: (value) => String(Number(value.toPrecision(3))) } }),
      series: latencySeries(rows),
    }),
  };
}

function whyNoDetail(detail) {
  return filter.run !== everything && !report.detailed_shares
    ? `With so many runs, ${detail} of a single one are not part of the page: freshet report --run ${filter.run} makes one with them.`
    : `No trial that is shown has ${detail}: they are recorded where freshet's own writer and reader are at work, and mean nothing for mapped files.`;
}

new Section({
  id: "latency",
  title: "Latency of writes and reads",
  short: "Latency",
  lead: `How long the program waited each time it handed over a full block, or received one; over all valid trials of a plan, exact to ` +
    `12.5 %. Mapped files (mmap) are missing: they take a block at once, and the program waits for its pages later. The first ${linesShown} plans of each ranking.`,
  charts: (shown) => panelsOf(contests(shown), latencyPanel, whyNoDetail("latencies")),
  table: (shown) => ({
    columns: [
      ...planColumns,
      { title: "Calls", number: true, text: (row) => count(callsOf(row.latency)) },
      ...shares.map((share) => ({ title: `${100 * share} %`, number: true, text: (row) => duration(latencyAt(row.latency, share)), value: (row) => latencyAt(row.latency, share) })),
      { title: "Slowest", number: true, text: (row) => duration(latencyAt(row.latency, 1)), value: (row) => latencyAt(row.latency, 1) },
    ],
    rows: rowsOf(shown).filter((row) => row.latency),
  }),
});
