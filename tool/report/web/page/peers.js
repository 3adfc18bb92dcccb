// The same program in other languages and libraries, and the trials that explain the machine: the same bars, apart.

function peers(shown) {
  return shown.filter(({ group }) => group.role === "contest" && group.kind === "peers");
}

new Section({
  id: "peers",
  title: "Peers: other languages and libraries",
  short: "Peers",
  lead: `Programs of freshet peers, each in a process of its own: never in one ranking with methods that were measured in this process. ${barsMean}`,
  charts: (shown) => panelsOf(peers(shown), (group, rows) => ratesPanel(group, rows), "No peers were measured: freshet peers does that."),
  table: (shown) => ratesTable(peers(shown)),
});

function diagnoses(shown) {
  return shown.filter(({ group }) => group.role === "diagnosis" && !isOfVolumes(group));
}

new Section({
  id: "diagnosis",
  title: "What memory and order cost",
  short: "Memory and order",
  lead: `Trials of freshet tune that explain the machine, outside its rankings: memory that was just freed, and blocks written in any order. ${barsMean}`,
  charts: (shown) => panelsOf(diagnoses(shown), (group, rows) => ratesPanel(group, rows), "No such trials were made: freshet tune makes them where its time allows."),
  table: (shown) => ratesTable(diagnoses(shown)),
});
