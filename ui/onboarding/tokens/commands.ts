/** The command that starts a client daemon with an onboarding token. */
export const clientCommand = (endpoint: string, secret: string): string =>
  `MUSTER_ONBOARDING_TOKEN=${secret} muster-client --endpoint ${endpoint}`;

/** The options of an agent that differ from what it takes by itself. */
export type AgentOptions = { readonly nodes: string; readonly kind: string; readonly zone: string };

/** The command that starts an agent with a node token; it names the host where the token is for one name. */
export function agentCommand(endpoint: string, secret: string, { nodes, kind, zone }: AgentOptions): string {
  const isOne = !/[[*,]/.test(nodes);
  const options = [
    ...(isOne ? [`--fqdn ${nodes}`] : []),
    ...(zone === 'default' ? [] : [`--zone ${zone}`]),
    ...(kind === 'uyuni' ? [] : [`--kind ${kind}`]),
  ];
  return [`MUSTER_JOIN_TOKEN=${secret} muster-agent --endpoint ${endpoint}`, ...options].join(' ');
}
