// Takes a picture of a page's first screen: node picture.mjs PAGE.html PICTURE.png
import { execSync } from "node:child_process";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "../tool/report/web/node_modules/playwright-core/index.mjs";

const [page, picture] = process.argv.slice(2);
const names = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"];
const executablePath = execSync(names.map((name) => `command -v ${name}`).join(" || "), { shell: "/bin/sh" }).toString().trim();
// The sandbox does not work for root, and /dev/shm is small in containers.
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
const view = await browser.newPage({ viewport: { width: 1280, height: 900 } });
await view.goto(pathToFileURL(path.resolve(page)).href);
await view.waitForSelector("html[data-ready=yes]");
await view.screenshot({ path: picture });
await browser.close();
