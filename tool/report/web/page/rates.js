// MB/s by method, until the program may go on and until the disk has everything, with intervals; the fastest first.

const barsShown = 16;

function labelWidth(width) {
  return Math.round(Math.min(210, width * 0.38));
}

// The labels of the rows, the first one at the top; the verdict's first is marked.
function nameAxis(rows, width) {
  return axis("", {
    type: "category",
    data: rows.map((row) => row.label),
    inverse: true,
    axisLabel: { width: labelWidth(width) - 12, overflow: "truncate", color: colours().ink, interval: 0, hideOverlap: false,
      formatter: (label, at) => rows[at]?.rank === 1 ? `▸ ${label}` : label },
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
    ...whiskers(name, rows.flatMap((row, i) =>
      hasRange(row[of]) ? [[[row[of][1], i + offset], [row[of][2], i + offset], row[of]]] : []), ink, { across: true, yAxisIndex: 1 }),
  ]);
}

function bySpeed(rows) {
  return [...rows].sort((a, b) => speedOf(b)[0] - speedOf(a)[0]);
}

function ratesPanel(group, all, most = barsShown) {
  const measured = bySpeed(all.filter((row) => speedOf(row)));
  const rows = measured.slice(0, most);
  if (rows.length === 0) return { title: groupName(group), summary: "No valid trial.", empty: true };
  const both = [{ name: "accepted", of: "close", offset: -0.175 }, { name: "durable", of: "disk", offset: 0.175 }];
  const clocks = group.reads ? [{ name: "read", of: "close", offset: 0 }] : both;
  return {
    title: groupName(group), summary: ratesSummary(group, measured, rows.length), height: 84 + rows.length * (group.reads ? 20 : 26), onPaper: 0.8,
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

function ratesSummary(group, measured, shown) {
  const [fastest] = measured;
  const words = [`${fastest.label} has the highest median: ${withRange(speedOf(fastest))} MB/s` +
    `${group.reads ? "" : group.clock === "disk" ? " until durable" : " until accepted"}.`];
  const first = measured.find((row) => row.rank === 1);
  if (first && first !== fastest && group.role === "contest")
    words.push(`The verdict's first, ▸ ${first.label}, is chosen by trials of the same rounds, and by the CPU bill.`);
  const others = measured.filter((row) => row.other_sizes?.length > 0).length;
  if (others > 0) words.push(`${plural(others, "plan")} also ${others === 1 ? "has" : "have"} trials of other sizes, which the table counts.`);
  if (measured.length > shown) words.push(`${plural(measured.length - shown, "slower plan")} only in the table.`);
  return words.join(" ");
}

function rateTip(row, clocks) {
  if (!row) return "";
  const lines = clocks.map((clock) => `${clock.name}: ${withRange(row[clock.of])} MB/s`);
  return [`<b>${escapeHtml(row.label)}</b>`, ...lines, `CPU: ${withRange(row.cpu)} s per GB`,
    `${plural(row.used, "trial")} of ${bytes(row.size)}`].join("<br>");
}

const resultWords = { winner: "first", worse: "slower", better: "faster", tie: "tie", undecided: "undecided" };

// "6 of 8 (1 × 256 MiB)": those that the figures are about, all, and those of other sizes.
function trialsUsed(row) {
  const others = (row.other_sizes ?? []).map(([size, number]) => `${number} × ${bytes(size)}`);
  return `${row.used} of ${row.trials}${others.length > 0 ? ` (${others.join(", ")} left out)` : ""}`;
}

const rateColumns = [
  ...planColumns,
  { title: "Accepted MB/s", number: true, text: (row) => figure(row.close && row.close[0]) },
  { title: "Range", number: true, text: (row) => range(row.close) },
  { title: "Durable MB/s", number: true, text: (row) => figure(row.disk && row.disk[0]) },
  { title: "Range", number: true, text: (row) => range(row.disk) },
  { title: "is", text: (row) => rangeKind(row.close) },
  { title: "CPU s/GB", number: true, text: (row) => figure(row.cpu && row.cpu[0]) },
  { title: "Time against the first", number: true, text: (row) => row.ratio && row.rank !== 1 ? withRange(row.ratio, times) : "–" },
  { title: "Verdict", text: (row) => resultWords[row.result] || "–" },
  { title: "Trials used", number: true, text: trialsUsed },
  { title: "Size of these", number: true, text: (row) => bytes(row.size), value: (row) => row.size },
  { title: "Invalid", number: true, text: (row) => count(row.invalid) },
];

function ratesTable(groups) {
  return { columns: rateColumns, rows: groups.flatMap(({ rows }) => [...bySpeed(rows.filter(speedOf)), ...rows.filter((row) => !speedOf(row))]) };
}

const barsMean = "Bars are medians; whiskers with caps are intervals of at least 95 %, dotted lines ranges of fewer than six trials, and one trial has " +
  "neither. ▸ is the verdict's first.";

new Section({
  id: "rates",
  title: "Speed by method",
  short: "Speed by method",
  lead: `Accepted: until the program may go on. Durable: until the device has it. ${barsMean}`,
  charts: (shown) => panelsOf(contests(shown), (group, rows) => ratesPanel(group, rows), "Only files processed line by line were measured: see threads × work."),
  table: (shown) => ratesTable(contests(shown)),
});
