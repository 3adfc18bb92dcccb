// What the page begins with: an answer to each task, and the chart of one of them.

const answersAtFirst = 6;
const barsAtFirst = 10;
const answerList = element("ol", "answers");
const answerNote = element("p", "small");
const answerMore = element("button", "more");
const firstPanel = element("div", "panels");
const folds = new Map();  // of the parts that are not sections of their own kind, by id
const answeredGroups = new Set(report.answers.map((answer) => answer.group));
let firstChart = null;
let chosenTask = "";  // the name of the task whose chart is shown; empty: the first
let showsAllAnswers = false;

// How sure an answer is, as the edge at its left.
const edgeWords = { decided: "decided", unsure: "not sure", open: "no verdict" };

function edgeOf(group) {
  if (group.certain) return "decided";
  return ["decided", "alike", "undecided"].includes(group.state) ? "unsure" : "open";
}

function edgeLegend() {
  const legend = element("p", "small edges");
  for (const [edge, words] of Object.entries(edgeWords)) legend.append(element("span", edge, words));
  return legend;
}

function buildAnswers() {
  const section = document.createElement("section");
  section.id = "answers";
  section.setAttribute("aria-labelledby", "answers-title");
  const title = element("h2", "", "Answers");
  title.id = "answers-title";
  answerMore.type = "button";
  answerMore.addEventListener("click", () => {
    showsAllAnswers = true;
    updateAnswers(shownGroups());
  });
  section.append(title, answerNote, answerList, answerMore, edgeLegend());
  if (hasCharts) section.append(firstPanel);
  return section;
}

// A task and its answer. The task that is chosen has its chart below, and its remarks; on paper, all have these.
function answerLine({ group, rows }, isChosen) {
  const line = element("li", `${edgeOf(group)}${isChosen ? " chosen" : ""}`);
  const button = element("button", "task", headingOf(group, rows));
  button.type = "button";
  button.setAttribute("aria-pressed", String(isChosen));
  button.addEventListener("click", () => {
    chosenTask = groupName(group);
    updateAnswers(shownGroups());
    answerList.querySelector(".chosen .task")?.focus();
    writeAddress();
  });
  line.append(button, element("span", "text", group.headline));
  if (isChosen || onPaper) line.append(remarksOf(group));
  return line;
}

function remarksOf(group) {
  const fold = element("details", "remarks");
  fold.open = onPaper;
  fold.append(element("summary", "", "Details"), ...group.remarks.map((remark) => element("p", "small", remark)),
    element("p", "small", `${plural(group.trials, "trial")}, on ${placeOf(group).name}.`));
  return fold;
}

// The plans of one task, as bars, or as a heat map where files were processed line by line.
function panelOfTask({ group, rows }) {
  return group.role === "lines" ? sweepPanel(group, rows) : ratesPanel(group, rows, barsAtFirst);
}

function drawFirst(chosen) {
  firstChart?.dispose();
  firstChart = null;
  firstPanel.replaceChildren();
  const panel = chosen && panelOfTask(chosen);
  if (!panel || !hasCharts) return;
  const place = chartFrame(firstPanel, panel, "Answers");
  if (place) firstChart = new Chart(panel, place);
}

function updateAnswers(shown) {
  const answers = shown.filter(({ group }) => answeredGroups.has(group.number));
  const chosen = answers.find(({ group }) => groupName(group) === chosenTask) ?? answers[0];
  const lines = showsAllAnswers || onPaper ? answers : answers.slice(0, answersAtFirst);
  answerList.replaceChildren(...lines.map((answer) => answerLine(answer, answer === chosen)));
  if (answers.length === 0) answerList.append(element("li", "empty", nothingPasses()));
  answerMore.hidden = lines.length === answers.length;
  answerMore.textContent = `Show ${plural(answers.length - lines.length, "more answer")}`;
  const kernels = new Set(shownEnvironments().map((each) => `${each.facts.kernel} ${each.facts.version}`));
  const notes = [];
  if (filter.run !== everything) notes.push(`All answers and figures are of run ${filter.run} alone.`);
  if (kernels.size > 1) notes.push(`The trials were made with ${kernels.size} different kernels or versions of freshet.`);
  if (memoryNote()) notes.push(memoryNote());
  answerNote.textContent = notes.join(" ");
  answerNote.hidden = notes.length === 0;
  drawFirst(chosen);
}
