import { compareHistories } from './compare.ts';
const r = await compareHistories(process.argv[2]!, { count: Number(process.argv[3] ?? 1000), seed: 1 });
console.log(JSON.stringify(r, null, 1));
