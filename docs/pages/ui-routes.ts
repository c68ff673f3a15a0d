import { adminRoutes } from '../../lib/admin-contract.ts';

/**
 * `ui/api/routes.ts`: the method, path and scope of each route of the admin API by its name. The page has the types of
 * the contract, which cost nothing when it runs, and of its values this table alone.
 */
export function uiRoutes(): string {
  const lines = Object.entries(adminRoutes).map(([name, { method, path, scope }]) => `  ${name}: '${method} ${path} ${scope}',`);
  return `// Made from lib/admin-contract.ts: npm run docs

/** Method, path and scope of each route of the admin API, by its name in the contract. */
export const routes = {
${lines.join('\n')}
} as const;
`;
}
