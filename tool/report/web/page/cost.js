// CPU seconds per GB against MB/s, to show which plans are both fast and cheap.

// A bill may be 0 if it is less than that of the idle machine, but a logarithmic axis needs a positive value.
const leastBill = 0.001;

const mayLeadName = "may be the best: named";

function billOf(row) {
  return row.cpu ? Math.max(row.cpu[0], leastBill) : null;
}

// The verdict's pick and those that may be as good have names in the chart: which these are, the verdict says, not the chart.
function leadersOf(rows) {
  return rows.filter((row) => isPick(row) || isRival(row));
}

function costSeries(rows) {
  const { paper, soft } = colours();
  const point = (row) => {
    const { color, symbol } = lookOf(row.method);
    return { name: row.label, value: placeOfCost(row), symbol,
      itemStyle: { color: row.used === 1 ? paper : color, borderColor: color, borderWidth: 1.5, opacity: 1 } };
  };
  return [
    ...methodsOf(rows).map((name) => {
      const own = rows.filter((row) => colourName(row.method) === name);
      const look = lookOf(own[0].method);
      return { name, type: "scatter", symbol: look.symbol, symbolSize: 10, itemStyle: { color: look.color, borderColor: look.color, opacity: 1 }, data: own.map(point), z: 5 };
    }),
    { name: mayLeadName, type: "scatter", symbol: "circle", symbolSize: 18, silent: true, z: 4,
      itemStyle: { color: "transparent", borderColor: soft, borderWidth: 1.5, opacity: 1 }, data: leadersOf(rows).map(placeOfCost) },
  ];
}

function placeOfCost(row) {
  return [speedOf(row)[0], billOf(row)];
}

function methodsOf(rows) {
  return [...new Set(rows.map((row) => colourName(row.method)))];
}

// Bills that differ by more than this are shown on a logarithmic axis.
const bigDifference = 20;

function isLogarithmic(rows) {
  const bills = rows.map(billOf);
  return Math.max(...bills) > bigDifference * Math.min(...bills);
}

function billAxis(rows) {
  const bills = rows.map(billOf);
  const least = Math.min(...bills);
  const most = Math.max(...bills);
  const name = "CPU s per GB";
  if (!isLogarithmic(rows)) return axis(name, { min: 0, nameGap: 46 });
  return axis(name, { type: "log", nameGap: 46, min: 10 ** Math.floor(Math.log10(least)), max: 10 ** Math.ceil(Math.log10(most * 1.01)),
    axisLabel: { formatter: (value) => String(Number(value.toPrecision(3))) } });
}

function costPanel(group, all) {
  const rows = all.filter((row) => speedOf(row) && row.cpu);
  if (rows.length === 0) return null;
  const underNames = (width) => underLegend([...methodsOf(rows), ...(leadersOf(rows).length > 0 ? [mayLeadName] : [])], width, { left: 62, right: 24, bottom: 44 }, true);
  return {
    title: headingOf(group, rows), height: 320, onPaper: 0.85, summary: costSummary(rows),
    option: (width) => ({
      ...underNames(width),
      tooltip: { ...baseOption().tooltip, trigger: "item", formatter: (point) => costTip(rows, point) },
      xAxis: axis("MB/s", { min: 0 }),
      yAxis: billAxis(rows),
      series: costSeries(rows),
    }),
    names: (chart, width, height) => {
      const { grid } = underNames(width);
      const area = { left: grid.left, top: grid.top, right: width - 4, bottom: height - grid.bottom };
      return namesOfPoints(chart, leadersOf(rows).map((row) => ({ text: nameOnAxis(row), value: placeOfCost(row) })), rows.map(placeOfCost), area);
    },
  };
}

function costSummary(rows) {
  const pick = rows.find(isPick);
  if (!pick) return `No plan is picked: nothing was told apart. ${plural(rows.length, "plan")}, from ` +
    `${figure(Math.min(...rows.map(billOf)))} to ${figure(Math.max(...rows.map(billOf)))} CPU seconds per GB.`;
  const rivals = rows.filter(isRival).map((row) => row.label);
  return `▸ ${pick.label} is the verdict's pick: ${figure(speedOf(pick)[0])} MB/s for ${figure(pick.cpu[0])} CPU seconds per GB.` +
    (rivals.length > 0 ? ` ${listed(rivals)} may be as good.` : "");
}

function costTip(rows, point) {
  const row = rows.find((each) => each.label === point.name);
  return `<b>${escapeHtml(row.label)}</b><br>${figure(speedOf(row)[0])} MB/s<br>${figure(row.cpu[0])} CPU s per GB<br>` +
    `${plural(row.used, "trial")}; the verdict: ${standingOf(row)}`;
}

new Section({
  id: "cost",
  title: "Speed and what it costs",
  short: "Cost",
  lead: "The whole machine's CPU seconds for each GB, kernel and writeback included, against MB/s: to the right is faster, lower is cheaper. " +
    "Points are medians, hollow ones of a single trial. Those with names may be the best; ▸ is the verdict's pick.",
  charts: (shown) => panelsOf(contests(shown), costPanel, "No valid trial."),
  table: (shown) => ({
    columns: [
      ...planColumns,
      { title: "MB/s", number: true, text: (row) => figure(speedOf(row) && speedOf(row)[0]) },
      { title: "CPU s/GB", number: true, text: (row) => figure(row.cpu && row.cpu[0]) },
      { title: "Range", number: true, text: (row) => range(row.cpu) },
      { title: "System calls per GB", number: true, text: (row) => count(row.calls_per_gb) },
      { title: "Faults per GB", number: true, text: (row) => count(row.faults_per_gb) },
      { title: "Context switches per GB", number: true, text: (row) => count(row.switches_per_gb) },
      { title: "Peak memory", number: true, text: (row) => bytes(row.peak_memory), value: (row) => row.peak_memory },
      { title: "Page cache", number: true, text: (row) => bytes(row.page_cache), value: (row) => row.page_cache },
      { title: "Generator MB/s", number: true, text: (row) => figure(row.ceiling) },
      { title: "Verdict", stays: "right", text: standingOf },
    ],
    rows: rowsOf(shown).filter((row) => row.used > 0),
  }),
});
