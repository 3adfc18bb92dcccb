// Speed over time within a trial.

function speedPanel(group, all) {
  const rows = all.filter(hasEnoughSteps).slice(0, linesShown);
  if (rows.length === 0) return null;
  const falls = rows.map((row) => ({ row, share: shareOfStart(row.curve) })).filter((each) => each.share !== null);
  const worst = falls.sort((a, b) => a.share - b.share)[0];
  return {
    title: headingOf(group, rows), height: 300,
    summary: worst
      ? `The second half of ${worst.row.label} runs at ${Math.round(100 * worst.share)} % of the speed of the first${falls.length > 1 ? ", the lowest share of those shown" : ""}.`
      : `${plural(rows.length, "plan")}; too few steps to tell a first half from a second.`,
    option: (width) => ({
      ...underLegend(rows.map((row) => row.label), width, { left: 58, right: 22, bottom: 44 }),
      tooltip: { ...baseOption().tooltip, trigger: "axis", valueFormatter: (value) => `${figure(value)} MB/s` },
      xAxis: axis("seconds since the start", { min: 0, axisPointer: { label: { formatter: (at) => `${figure(at.value)} s` } } }),
      yAxis: axis("MB/s", { min: 0, nameGap: 42 }),
      series: rows.map((row, number) => {
        const look = lookOf(row.method, number);
        return { name: row.label, type: "line", step: "end", data: curvePoints(row.curve), color: look.color, symbol: look.symbol, symbolSize: 6,
          showSymbol: true, lineStyle: { width: 1.8, type: look.dash, color: look.color } };
      }),
    }),
  };
}

// With large blocks, a step is shorter than a block takes, and the system reads ahead and writes back in bursts of some
// milliseconds. So steps are joined until each is longer than that. A trial that is too short for that has no course.
const stepsShown = 32;
const blocksEach = 6;
const secondsEach = 0.01;
const fewestSteps = 4;

function countSteps(curve) {
  const seconds = curve.mb_per_second.length * curve.step;
  return Math.min(stepsShown, Math.floor(curve.blocks / blocksEach), Math.floor(seconds / secondsEach), curve.mb_per_second.length);
}

function joined(curve) {
  const rates = curve.mb_per_second;
  const sum = (values) => values.reduce((all, value) => all + value, 0);
  const steps = countSteps(curve);
  const start = (number) => Math.round(number * rates.length / steps);
  return Array.from({ length: steps }, (_, number) => {
    const part = rates.slice(start(number), start(number + 1));
    return { from: start(number) * curve.step, to: start(number + 1) * curve.step, rate: sum(part) / part.length };
  });
}

// The speed of each step from its start to its end.
function curvePoints(curve) {
  const steps = joined(curve);
  const last = steps[steps.length - 1];
  return [...steps.map((each) => [each.from, each.rate]), [last.to, last.rate]].map((point) => point.map((value) => Number(value.toPrecision(6))));
}

function hasEnoughSteps(row) {
  return Boolean(row.curve) && countSteps(row.curve) >= fewestSteps;
}

function shareOfStart(curve) {
  const rates = joined(curve).map((step) => step.rate);
  const half = Math.floor(rates.length / 2);
  if (half < 2) return null;
  const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const first = mean(rates.slice(0, half));
  return first > 0 ? mean(rates.slice(half)) / first : null;
}

new Section({
  id: "speed",
  title: "Speed within a trial",
  short: "Within a trial",
  lead: `The median trial of each plan: what the program had handed over, or received, in steps of equal ` +
    `time, each of ${blocksEach} blocks and ${secondsEach * 1000} ms or more. The first ${linesShown} plans of each ranking.`,
  charts: (shown) => panelsOf(contests(shown), speedPanel, whyNoDetail(`a speed over time, of at least ${fewestSteps * blocksEach} blocks and ${fewestSteps * secondsEach * 1000} ms`)),
  table: (shown) => ({
    columns: [
      ...planColumns,
      { title: "Trial", number: true, text: (step) => step.trial },
      { title: "From s", number: true, text: (step) => figure(step.from) },
      { title: "MB/s", number: true, text: (step) => figure(step.rate) },
    ],
    rows: rowsOf(shown).filter(hasEnoughSteps).flatMap((row) => joined(row.curve).map(({ from, rate }) => (
      { group: row.group, label: row.label, used: row.used, size: row.size, least_size: row.least_size, trial: row.curve.trial, from, rate }))),
  }),
});
