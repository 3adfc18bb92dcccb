// The device's requests, and the number of extents of the files.

function devicePanel(group, all) {
  const rows = all.filter((row) => row.used && (row.device_requests_per_gb !== null || row.extents !== null)).slice(0, barsShown);
  if (rows.length === 0) return null;
  const most = [...rows].filter((row) => row.device_requests_per_gb !== null).sort((a, b) => b.device_requests_per_gb - a.device_requests_per_gb)[0];
  const pieces = [...rows].filter((row) => row.extents !== null).sort((a, b) => b.extents - a.extents)[0];
  const words = [];
  if (most) words.push(`${most.label} needs the most ${group.reads ? "reads" : "writes"} of the device: ${count(most.device_requests_per_gb)} per GB.`);
  if (pieces) words.push(pieces.extents <= 1 ? "Every file lies in one piece."
    : `The files of ${pieces.label} lie in the most pieces: ${plural(pieces.extents, "extent")}.`);
  const unseen = rows.filter((row) => row.device_requests_per_gb === null).length;
  if (unseen > 0) words.push(`For ${plural(unseen, "plan")}, the device could not be seen.`);
  return {
    title: headingOf(group, rows), height: (width) => 104 + rows.length * barHeight(rows, width, 22), onPaper: 1, summary: words.join(" "),
    option: (width) => deviceOption(rows, width, `device ${group.reads ? "reads" : "writes"} per GB`),
  };
}

// Charts side by side, one for each figure that is known for any plan.
function deviceOption(rows, width, requests) {
  const known = [{ name: requests, of: "device_requests_per_gb" }, { name: "extents", of: "extents" }]
    .filter(({ of }) => rows.some((row) => row[of] !== null));
  const left = labelWidth(width);
  const gap = 36;
  const each = (width - left - 24 - gap * (known.length - 1)) / known.length;
  const names = nameAxis(rows, width);
  return {
    legend: { show: false },
    grid: known.map((_, i) => ({ left: left + i * (each + gap), width: each, top: 10, bottom: 58 })),
    tooltip: { ...baseOption().tooltip, trigger: "axis", axisPointer: { type: "shadow" },
      formatter: (points) => deviceTip(rows[points[0].dataIndex], requests) },
    xAxis: known.map(({ name }, i) => axis(each < 180 ? name.replace(" per GB", "\nper GB") : name, { min: 0, gridIndex: i, splitNumber: 2 })),
    yAxis: known.map((_, i) => i === 0 ? names : { ...names, gridIndex: i, axisLabel: { show: false } }),
    series: known.map(({ name, of }, i) => (
      { ...bars(name, rows, of), xAxisIndex: i, yAxisIndex: i })),
  };
}

function deviceTip(row, requests) {
  if (!row) return "";
  return [`<b>${escapeHtml(row.label)}</b>`, `${requests}: ${count(row.device_requests_per_gb)}`,
    `GB at the device per GB: ${figure(row.device_gb_per_gb)}`, `extents: ${count(row.extents)}`].join("<br>");
}

new Section({
  id: "device",
  title: "Device and extents",
  short: "Device",
  lead: "Requests that reached the device, and the extents of the files. Medians; figures that cannot be seen, as on tmpfs or over a network, are left out. Bars of one trial are hatched.",
  charts: (shown) => panelsOf(contests(shown), devicePanel, "The device could not be seen in any trial that is shown."),
  table: (shown) => ({
    columns: [
      ...planColumns,
      { title: "Requests per GB", number: true, text: (row) => count(row.device_requests_per_gb) },
      { title: "Merged per GB", number: true, text: (row) => count(row.merges_per_gb) },
      { title: "GB at the device per GB", number: true, text: (row) => figure(row.device_gb_per_gb) },
      { title: "KiB per request", number: true, text: (row) => figure(row.device_requests_per_gb ? row.device_gb_per_gb * 1e9 / 1024 / row.device_requests_per_gb : null) },
      { title: "Extents", number: true, text: (row) => count(row.extents) },
    ],
    rows: rowsOf(shown).filter((row) => row.used > 0),
  }),
});
