import { bundled } from './bundle.ts';
import { musterApp } from './muster-app.ts';

// Where the CLI is signed in. Without credentials both are absent, and stacks are synthesized for any account.
const { CDK_DEFAULT_ACCOUNT: account, CDK_DEFAULT_REGION: region } = process.env;

musterApp({ account, region, code: bundled }).app.synth();
