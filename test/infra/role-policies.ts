import type { Statement } from '../support/iam.ts';
import type { Template } from './synthesized.ts';

type Role = { readonly Policies: readonly { readonly PolicyDocument: { readonly Statement: readonly Statement[] } }[] };
type Fn = { readonly Description: string; readonly Role: { readonly 'Fn::GetAtt': readonly [string, string] } };

/** What the role of each function may do, as a template of Control says it, by the function's name in the wiring. */
export function rolePolicies({ Resources }: Template): Readonly<Record<string, readonly Statement[]>> {
  const functions = Object.values(Resources).filter(({ Type }) => Type === 'AWS::Lambda::Function');
  return Object.fromEntries(
    functions.map(({ Properties }) => {
      const { Description, Role } = Properties as unknown as Fn;
      const role = Resources[Role['Fn::GetAtt'][0]]!.Properties as unknown as Role;
      return [Description.replace('Muster: ', ''), role.Policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement)];
    }),
  );
}
