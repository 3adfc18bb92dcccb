// The verdict of each group, in sentences.

const stateWords = { decided: "decided", alike: "alike", undecided: "undecided", failed: "no verdict", none: "no verdict", alone: "nothing to compare", sweep: "by work" };
const verdictPlace = element("div", "verdicts");
const verdictNote = element("p", "small");

function buildVerdicts() {
  const section = document.createElement("section");
  section.id = "verdict";
  section.append(element("h2", "", "Verdict"), verdictNote, verdictPlace);
  return section;
}

function verdictCard(group) {
  const card = element("article", `verdict ${group.state}`);
  card.append(element("span", "state", stateWords[group.state]), element("h3", "", groupName(group)), element("p", "", group.headline));
  for (const remark of group.remarks) card.append(element("p", "small", remark));
  card.append(element("p", "small", `${plural(group.trials, "trial")}, on ${report.places[group.place].name}.`));
  return card;
}

function updateVerdicts(shown) {
  const groups = shown.map(({ group }) => group);
  verdictPlace.replaceChildren(...groups.map(verdictCard));
  if (groups.length === 0) verdictPlace.append(element("p", "empty", nothingPasses()));
  const kernels = new Set(shownEnvironments().map((each) => `${each.facts.kernel} ${each.facts.version}`));
  const notes = [];
  if (filter.run !== everything) notes.push("Verdicts are about all runs of this page, not only the one that is shown.");
  if (kernels.size > 1) notes.push(`The trials were made with ${kernels.size} different kernels or versions of freshet.`);
  verdictNote.textContent = notes.join(" ");
  verdictNote.hidden = notes.length === 0;
}
