// CPU seconds per GB against MB/s, to show which plans are both fast and cheap.

// A bill may be 0 if it is less than that of the idle machine, but a logarithmic axis needs a positive value.
const leastBill = 0.001;

const frontierName = "nobody is faster and cheaper";

function billOf(row) {
  return row.cpu ? Math.max(row.cpu[0], leastBill) : null;
}

// The plans that no other beats in both figures, from the fastest to the cheapest.
function frontierOf(rows) {
  const frontier = [];
  let least = Infinity;
  for (const row of [...rows].sort((a, b) => speedOf(b)[0] - speedOf(a)[0] || billOf(a) - billOf(b))) {
    if (billOf(row) >= least) continue;
    least = billOf(row);
    frontier.push(row);
  }
  return frontier;
}

// Below the point, towards the middle; beside it where the axis is near.
function besidePoint(row, rows) {
  const isRight = speedOf(row)[0] > Math.max(...rows.map((each) => speedOf(each)[0])) / 2;
  const isLow = billOf(row) < Math.max(...rows.map(billOf)) / 8 && !isLogarithmic(rows);
  return isLow ? { position: isRight ? "left" : "right", distance: 8 } : { position: "bottom", align: isRight ? "right" : "left", distance: 7 };
}

// The fastest and the cheapest, at the ends of the frontier, have labels: below it is nothing else. Of two that are close
// together only the fastest.
function namedPoints(rows, frontier) {
  const [fastest, cheapest] = [frontier[0], frontier[frontier.length - 1]];
  const most = Math.max(...rows.map((row) => speedOf(row)[0]));
  return speedOf(fastest)[0] - speedOf(cheapest)[0] > most / 2.5 ? [fastest, cheapest] : [fastest];
}

function costSeries(rows, frontier, width) {
  const named = namedPoints(rows, frontier);
  const { soft } = colours();
  const methods = [...new Set(rows.map((row) => row.method))];
  return [
    ...methods.map((method) => {
      const look = lookOfMethod(method);
      return {
        name: method, type: "scatter", symbol: look.symbol, symbolSize: 10, itemStyle: { color: look.color, opacity: 0.85, borderColor: look.color },
        data: rows.filter((row) => row.method === method).map((row) => ({
          name: row.label, value: [speedOf(row)[0], billOf(row)],
          label: { show: named.includes(row), formatter: () => shortened(row.label, width * 0.4), fontSize: 11,
            color: colours().ink, textBorderColor: colours().paper, textBorderWidth: 3, ...besidePoint(row, rows) },
        })),
        labelLayout: { hideOverlap: true, moveOverlap: "shiftY" },
        z: 5,
      };
    }),
    { name: frontierName, type: "line", data: frontier.map((row) => [speedOf(row)[0], billOf(row)]), symbol: "none", silent: true,
      lineStyle: { type: [4, 4], width: 1.2, color: soft }, itemStyle: { color: soft }, z: 2 },
  ];
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
  const name = "CPU seconds per GB";
  if (!isLogarithmic(rows)) return axis(name, { min: 0, nameGap: 46 });
  return axis(name, { type: "log", nameGap: 46, min: 10 ** Math.floor(Math.log10(least)), max: 10 ** Math.ceil(Math.log10(most * 1.01)),
    axisLabel: { formatter: (value) => String(Number(value.toPrecision(3))) } });
}

function costPanel(group, all) {
  const rows = all.filter((row) => speedOf(row) && row.cpu);
  if (rows.length === 0) return null;
  const frontier = frontierOf(rows);
  return {
    title: groupName(group), height: 320,
    summary: frontier.length === 1
      ? `${frontier[0].label} is the fastest and the cheapest: ${figure(speedOf(frontier[0])[0])} MB/s for ${figure(frontier[0].cpu[0])} CPU seconds per GB.`
      : `No plan is both faster and cheaper than ${listed(frontier.slice(0, 3).map((row) =>
        `${row.label} (${figure(speedOf(row)[0])} MB/s for ${figure(row.cpu[0])} s)`))}${frontier.length > 3 ? ` and ${frontier.length - 3} more` : ""}.`,
    option: (width) => ({
      ...underLegend([...new Set(rows.map((row) => row.method)), frontierName], width, { left: 62, right: 40, bottom: 44 }, true),
      tooltip: { ...baseOption().tooltip, trigger: "item", formatter: (point) => costTip(point) },
      xAxis: axis("MB/s", { min: 0 }),
      yAxis: billAxis(rows),
      series: costSeries(rows, frontier, width),
    }),
  };
}

function costTip(point) {
  return `<b>${escapeHtml(point.name)}</b><br>${figure(point.value[0])} MB/s<br>${figure(point.value[1])} CPU s per GB`;
}

new Section({
  id: "cost",
  title: "Speed and what it costs",
  short: "Cost",
  lead: "The whole machine's CPU seconds for each GB, kernel and writeback included, against MB/s: to the right is faster, lower is cheaper.",
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
      { title: "Generator MB/s", number: true, text: (row) => figure(row.ceiling) },
    ],
    rows: rowsOf(shown).filter((row) => row.used > 0),
  }),
});
