// File systems that freshet filesystems made and mounted: the fastest plan on each.

function volumes(shown) {
  return shown.filter(({ group }) => isOfVolumes(group) && (group.role === "contest" || group.role === "diagnosis"))
    .map(({ group, rows }) => ({ group, rows: bestOfVolumes(rows) }));
}

function bestOfVolumes(rows) {
  const best = new Map();
  for (const row of bySpeed(rows.filter(speedOf)))
    if (!best.has(row.plan.volume)) best.set(row.plan.volume, { ...row, label: `${row.plan.volume} · ${row.method}` });
  return [...best.values()];
}

// Few reports have any.
if (report.groups.some(isOfVolumes)) new Section({
  id: "filesystems",
  title: "File systems",
  short: "File systems",
  lead: `What freshet filesystems made, with the options of mkfs and, after a comma, of mounting: the fastest method on each. ${barsMean}`,
  charts: (shown) => panelsOf(volumes(shown), (group, rows) => ratesPanel(group, rows), "No file systems were compared: freshet filesystems does that."),
  table: (shown) => ratesTable(shown.filter(({ group }) => isOfVolumes(group))),
});
