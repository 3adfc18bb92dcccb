// What the page begins with: an answer to each task, in a line, and the chart of one of them.

const answersAtFirst = 6;
const barsAtFirst = 10;
const answerList = element("ol", "answers");
const answerNote = element("p", "small");
const answerMore = element("button", "more");
const firstPanel = element("div", "panels");
const folds = new Map();  // of the parts that are not sections of their own kind, by id
let firstChart = null;
let chosenTask = "";  // the name of the task whose chart is shown; empty: the first
let showsAllAnswers = false;

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
  section.append(title, answerNote, answerList, answerMore);
  if (hasCharts) section.append(firstPanel);
  return section;
}

// A task and its answer. The task that is chosen has its chart below, and its whole answer with all remarks.
function answerLine(answer, isChosen) {
  const group = report.groups[answer.group];
  const line = element("li", `${group.state}${isChosen ? " chosen" : ""}`);
  const button = element("button", "task", groupName(group));
  button.type = "button";
  button.setAttribute("aria-pressed", String(isChosen));
  button.addEventListener("click", () => {
    chosenTask = groupName(group);
    updateAnswers(shownGroups());
    answerList.querySelector(".chosen .task")?.focus();
    writeAddress();
  });
  line.append(button, element("span", "text", answer.text));
  if (isChosen) line.append(remarksOf(group));
  return line;
}

function remarksOf(group) {
  const fold = element("details", "remarks");
  fold.append(element("summary", "", "Details"), ...group.remarks.map((remark) => element("p", "small", remark)),
    element("p", "small", `${plural(group.trials, "trial")}, on ${placeOf(group).name}.`));
  return fold;
}

// The plans of one task, as bars, or as a heat map where files were processed line by line.
function panelOfTask({ group, rows }) {
  return group.role === "lines" ? sweepPanel(group, rows) : ratesPanel(group, rows, barsAtFirst);
}

function drawFirst(shown, answers) {
  firstChart?.dispose();
  firstChart = null;
  firstPanel.replaceChildren();
  const chosen = answers.find((answer) => groupName(report.groups[answer.group]) === chosenTask) ?? answers[0];
  const one = chosen && shown.find(({ group }) => group === report.groups[chosen.group]);
  const panel = one && panelOfTask(one);
  if (!panel || !hasCharts) return;
  const place = chartFrame(firstPanel, panel, "Answers");
  if (place) firstChart = new Chart(panel, place);
}

function updateAnswers(shown) {
  const groups = new Set(shown.map(({ group }) => group));
  const answers = report.answers.filter((answer) => groups.has(report.groups[answer.group]));
  const isChosen = (answer, at) => answers.some((each) => groupName(report.groups[each.group]) === chosenTask)
    ? groupName(report.groups[answer.group]) === chosenTask : at === 0;
  const lines = showsAllAnswers ? answers : answers.slice(0, answersAtFirst);
  answerList.replaceChildren(...lines.map((answer, at) => answerLine(answer, isChosen(answer, at))));
  if (answers.length === 0) answerList.append(element("li", "empty", nothingPasses()));
  answerMore.hidden = lines.length === answers.length;
  answerMore.textContent = `Show ${plural(answers.length - lines.length, "more answer")}`;
  const kernels = new Set(shownEnvironments().map((each) => `${each.facts.kernel} ${each.facts.version}`));
  const notes = [];
  if (filter.run !== everything) notes.push("Answers are about all runs of this page, not only the one that is shown.");
  if (kernels.size > 1) notes.push(`The trials were made with ${kernels.size} different kernels or versions of freshet.`);
  answerNote.textContent = notes.join(" ");
  answerNote.hidden = notes.length === 0;
  drawFirst(shown, answers);
}
