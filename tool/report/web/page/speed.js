// Speed over time within a trial.

function speedPanel(group, all) {
  const rows = all.filter((row) => row.curve).slice(0, linesShown);
  if (rows.length === 0) return null;
  const falls = rows.map((row) => ({ row, share: shareOfStart(row.curve) })).filter((each) => each.share !== null);
  const worst = falls.sort((a, b) => a.share - b.share)[0];
  return {
    title: groupName(group), height: 300,
    summary: worst
      ? `The second half of ${worst.row.label} runs at ${Math.round(100 * worst.share)} % of the speed of the first${falls.length > 1 ? ", the lowest share of those shown" : ""}.`
      : `${plural(rows.length, "plan")}; too few steps to tell a first half from a second.`,
    option: (width) => ({
      ...underLegend(rows.map((row) => row.label), width, { left: 58, right: 22, bottom: 44 }),
      tooltip: { ...baseOption().tooltip, trigger: "axis", valueFormatter: (value) => `${figure(value)} MB/s` },
      xAxis: axis("seconds since the start", { min: 0, axisPointer: { label: { formatter: (at) => `${figure(at.value)} s` } } }),
      yAxis: axis("MB/s", { min: 0, nameGap: 42 }),
      series: rows.map((row, number) => {
        const look = lookOf(number);
        return { name: row.label, type: "line", step: "end", data: curvePoints(row.curve, row.block), color: look.color, symbol: look.symbol, symbolSize: 6,
          showSymbol: true, lineStyle: { width: 1.8, type: look.dash, color: look.color } };
      }),
    }),
  };
}

// With large blocks, a step is shorter than a block takes, so steps are joined until each contains several blocks.
const stepsShown = 32;
const blocksEach = 6;
const usualBlock = 256 * 1024;

function joined(curve, block) {
  const rates = curve.mb_per_second;
  const sum = (values) => values.reduce((all, value) => all + value, 0);
  const blocks = sum(rates) * 1e6 * curve.step / (block || usualBlock);
  const width = Math.ceil(rates.length / Math.max(1, Math.min(stepsShown, Math.floor(blocks / blocksEach))));
  const wide = [];
  for (let from = 0; from < rates.length; from += width) {
    const part = rates.slice(from, from + width);
    wide.push({ from: from * curve.step, to: (from + part.length) * curve.step, rate: sum(part) / part.length });
  }
  return wide;
}

// The speed of each step from its start to its end.
function curvePoints(curve, block) {
  const steps = joined(curve, block);
  const last = steps[steps.length - 1];
  return [...steps.map((each) => [each.from, each.rate]), [last.to, last.rate]].map((point) => point.map((value) => Number(value.toPrecision(6))));
}

function shareOfStart(curve) {
  const rates = curve.mb_per_second;
  const half = Math.floor(rates.length / 2);
  if (half < 2) return null;
  const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const first = mean(rates.slice(0, half));
  return first > 0 ? mean(rates.slice(half)) / first : null;
}

new Section({
  id: "speed",
  title: "Speed within a trial",
  lead: `The median trial of each plan: what the program had handed over, or received, in steps of equal ` +
    `time, each long enough for some blocks. The first ${linesShown} plans of each ranking.`,
  charts: (shown) => panelsOf(contests(shown), speedPanel, whyNoDetail("speeds over time")),
  table: (shown) => ({
    columns: [
      ...planColumns,
      { title: "Trial", number: true, text: (step) => step.trial },
      { title: "From s", number: true, text: (step) => figure(step.from) },
      { title: "MB/s", number: true, text: (step) => figure(step.rate) },
    ],
    rows: rowsOf(shown).filter((row) => row.curve).flatMap((row) => row.curve.mb_per_second.map((rate, i) => (
      { group: row.group, label: row.label, trial: row.curve.trial, from: i * row.curve.step, rate }))),
  }),
});
