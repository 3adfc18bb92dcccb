// MB/s by method, until the program may go on and until the disk has everything, with intervals.

const barsShown = 16;

function labelWidth(width) {
  return Math.round(Math.min(210, width * 0.38));
}

// The labels of the rows, the first one at the top.
function nameAxis(rows, width) {
  return axis("", {
    type: "category",
    data: rows.map((row) => row.label),
    inverse: true,
    axisLabel: { width: labelWidth(width) - 12, overflow: "truncate", color: colours().ink, interval: 0 },
    splitLine: { show: false },
  });
}

function bars(name, values, color, hollow) {
  return {
    name, type: "bar", data: values, barGap: 0, barCategoryGap: "30%",
    itemStyle: hollow ? { color: "transparent", borderColor: color, borderWidth: 1.5 } : { color, opacity: 0.75 },
  };
}

function rateSeries(rows, clocks) {
  const { series, ink } = colours();
  return clocks.flatMap(({ name, of, offset }, number) => [
    bars(name, rows.map((row) => row[of] ? row[of][0] : null), series[number], number === 1),
    {
      ...whiskers(`${name}, interval`, rows.flatMap((row, i) =>
        row[of] ? [[[row[of][1], i + offset], [row[of][2], i + offset]]] : []), ink),
      yAxisIndex: 1,
    },
  ]);
}

function ratesPanel(group, all) {
  const measured = all.filter((row) => speedOf(row));
  const rows = measured.slice(0, barsShown);
  if (rows.length === 0) return { title: groupName(group), summary: "No valid trial.", empty: true };
  const clocks = group.reads ? [{ name: "read", of: "close", offset: 0 }]
    : [{ name: "accepted", of: "close", offset: -0.175 }, { name: "durable", of: "disk", offset: 0.175 }];
  const fastest = [...rows].sort((a, b) => speedOf(b)[0] - speedOf(a)[0])[0];
  const left = measured.length - rows.length;
  const summary = `${fastest.label} has the highest median: ${withRange(speedOf(fastest))} MB/s` +
    (group.reads ? "" : group.clock === "disk" ? " until durable" : " until accepted") +
    (left > 0 ? `; ${plural(left, "plan")} below the first ${barsShown} only in the table.` : ".");
  return {
    title: groupName(group), summary, height: 84 + rows.length * (group.reads ? 22 : 30),
    option: (width) => ({
      ...underLegend(clocks.map((clock) => clock.name), width, { left: labelWidth(width), right: 24, bottom: 42 }),
      tooltip: { ...baseOption().tooltip, trigger: "axis", axisPointer: { type: "shadow" },
        formatter: (points) => rateTip(rows[points[0].dataIndex], clocks) },
      xAxis: axis("MB/s", { min: 0 }),
      yAxis: [nameAxis(rows, width), hiddenAxis(rows.length, { inverse: true })],
      series: rateSeries(rows, clocks),
    }),
  };
}

function rateTip(row, clocks) {
  if (!row) return "";
  const lines = clocks.map((clock) => `${clock.name}: ${withRange(row[clock.of])} MB/s`);
  return [`<b>${escapeHtml(row.label)}</b>`, ...lines, `CPU: ${withRange(row.cpu)} s per GB`,
    `${plural(row.used, "trial")} of ${bytes(row.size)}`].join("<br>");
}

const resultWords = { winner: "winner", worse: "slower", better: "faster", tie: "tie", undecided: "undecided" };

const ratesSection = new Section({
  id: "rates",
  title: "Speed by method",
  lead: "Accepted: until the program may go on. Durable: until the device has it. The order is the verdict's; bars are medians, " +
    "whiskers their intervals (at least 95 %), or below six trials all values.",
  charts: (shown) => panelsOf(contests(shown), ratesPanel, "Only files processed line by line were measured: see threads × work."),
  table: (shown) => ({
    columns: [
      ...planColumns,
      { title: "Accepted MB/s", number: true, text: (row) => figure(row.close && row.close[0]) },
      { title: "Range", number: true, text: (row) => range(row.close) },
      { title: "Durable MB/s", number: true, text: (row) => figure(row.disk && row.disk[0]) },
      { title: "Range", number: true, text: (row) => range(row.disk) },
      { title: "Time against the winner", number: true, text: (row) => row.ratio ? `${row.ratio[0].toFixed(2)} (${row.ratio[1].toFixed(2)}–${row.ratio[2].toFixed(2)})` : "–" },
      { title: "Verdict", text: (row) => resultWords[row.result] || "–" },
      { title: "Trials used", number: true, text: (row) => `${row.used} of ${row.trials}` },
      { title: "Invalid", number: true, text: (row) => count(row.invalid) },
      { title: "File size", number: true, text: (row) => bytes(row.size) },
    ],
    rows: rowsOf(shown),
  }),
});
