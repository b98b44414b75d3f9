// Flips single bits in the lists of a copied package, and runs the command after each flip.
//   npm run soak:flips [-- FLIPS]

import { reportProblems, scratchFolder } from "../helpers/programs.mjs";
import { flipLists } from "./flip-run.mjs";

const flips = Number(process.argv[2] ?? 200);
const { correct, rejected, problems } = flipLists(scratchFolder("soak"), flips);
reportProblems(`lists.bin: ${flips} flips, ${correct} correct results, ${rejected} one-line errors`, problems);
