/** What only named files may import, whatever their layer or kind allows. */
export const reserved: readonly { readonly what: RegExp; readonly by: RegExp; readonly why: string }[] = [
  {
    what: /^@(aws-sdk|smithy)\//,
    by: /^lib\/(ports\/(table\/(dynamo|dynamo-whole|codec)|queue\/sqs|bus\/eventbridge|keys\/(secrets|secret-origin)|objects\/(s3|bucket))|runtime\/aws-[\w-]+)\.ts$|^tools\/check-deploy\//,
    why: 'an AWS SDK is in adapters only, so that everything else runs anywhere',
  },
  {
    what: /^lib\/ports\/(table\/(dynamo|dynamo-whole|codec)|queue\/sqs|bus\/eventbridge|keys\/(secrets|secret-origin)|objects\/(s3|bucket))\.ts$/,
    by: /^lib\/(ports\/(table\/(dynamo|dynamo-whole|codec)|objects\/bucket)|runtime\/(aws-[\w-]+|lambda))\.ts$/,
    why: 'an adapter is chosen by the host, never by who uses the port',
  },
  {
    what: /^(@cfworker\/json-schema|re2js|node:vm)$/,
    by: /^lib\/(ports\/checks\/(json-schema|linear-pattern)|search\/language\/regex)\.ts$/,
    why: 'a schema or a pattern that operators write is held against what they send in one place, which has its limits',
  },
  {
    what: /^lib\/ports\/checks\/(worker|thread|json-schema)\.ts$/,
    by: /^lib\/(ports\/checks\/|runtime\/aws-adapters\.ts$)|^(programs\/local|tools\/bench)\//,
    why: 'a check that takes for ever is stopped: whoever asks for one has the port, and never the validator itself',
  },
  {
    what: /^jose$/,
    by: /^lib\/ports\/issuer\/(oidc|published-keys)\.ts$|^tools\/(check-deploy\/|support\/identity-provider\.ts$)/,
    why: 'whether a token is to be believed is decided in one place',
  },
  {
    what: /^(yaml|liquidjs)$/,
    by: /^lib\/mero\/facts\/(text\/general|convert\/role-map)\.ts$|^tools\/bench\/facts\.ts$|^programs\/cli\/output\/yaml\.ts$/,
    why: 'they are loaded for the few files that need them, and by nothing else; a benchmark has one as its peer',
  },
  {
    what: /^pg$/,
    by: /^(programs\/agent|tools\/support)\/uyuni\//,
    why: 'the database of a Uyuni server is read and written where that is the work, and nowhere beside it',
  },
  {
    what: /^sax$/,
    by: /^lib\/uyuni\/xml-rpc\/element\.ts$/,
    why: 'XML is read in one place, which refuses what a document could ask of its reader',
  },
  {
    what: /^openid-client$/,
    by: /^programs\/cli\/sign-in\/oidc\.ts$|^lib\/ports\/issuer\/code-flow\.ts$/,
    why: 'it is loaded when somebody signs in, and by no other command or call',
  },
  {
    what: /^lib\/ports\/issuer\/(oidc|published-keys)\.ts$/,
    by: /^lib\/(ports\/issuer|runtime)\/|^(programs\/local|tools\/bench|docs)\//,
    why: 'an adapter is chosen by the host, never by who uses the port',
  },
  {
    what: /^lib\/ports\/outbound\/https\.ts$|^node:dns/,
    by: /^lib\/(ports\/outbound\/https|runtime\/aws-adapters)\.ts$|^programs\/local\/|^(tools\/bench|docs)\//,
    why: 'whoever calls outside by what people named looks at every address first, in one place',
  },
  {
    what: /^lib\/ports\/(table|queue)\/sqlite\.ts$|^node:sqlite$/,
    by: /^lib\/(ports\/(storage\/|sqlite\/|(table|queue)\/(sqlite|file-feed)\.ts$)|machine\/folder\.ts$)|^tools\/(bench\/(commits|search\/sqlite)|support\/state)\.ts$/,
    why: 'state is in one file, opened in one place; a machine locks its folder by one too, and a benchmark has it bare as its peer',
  },
  {
    what: /^lib\/ports\/(keys\/(file|fixed)|(table|queue|bus|objects)\/memory|objects\/folder)\.ts$/,
    by: /^(programs\/(local|transfer)|tools|docs)\//,
    why: 'an adapter is chosen by the host, never by who uses the port',
  },
  {
    what: /^lib\/assembly\/(?!.*routes\.ts$)/,
    by: /^(functions|programs\/local|tools|docs)\/|^lib\/assembly\//,
    why: 'what joins all nouns is for the functions, and for no noun',
  },
];
