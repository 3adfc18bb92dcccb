// The colours of charts. Each has one meaning on the whole page: those of `methods` are methods, `other` is every further method,
// `bar` is what bars measure. Chosen from those of Okabe and Ito and of Paul Tol, lightened or darkened, so that any two differ
// for people with each of the three common colour blindnesses, the first ones most, and all are legible on the paper; palette.test.mjs
// computes it.

const palettes = {
  light: { methods: ["#2996be", "#4b0082", "#cc3311", "#5e4fa2", "#882255", "#1b441b", "#9b8f53", "#1b7837"],
    other: "#707a88", bar: "#45566d", ink: "#1b2430", soft: "#566172", line: "#d9dee5", paper: "#ffffff" },
  dark: { methods: ["#f4d48c", "#0077bb", "#66ccf2", "#da711f", "#f5a3ad", "#8c5c44", "#b44b87", "#b3b366"],
    other: "#8793a3", bar: "#a3b3c7", ink: "#e4e8ee", soft: "#9aa6b5", line: "#2f3843", paper: "#12161c" },
};
