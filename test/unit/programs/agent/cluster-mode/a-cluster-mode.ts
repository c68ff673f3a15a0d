import type { ClusterMode } from '../../../../../programs/agent/uyuni/cluster-mode/settings.ts';

/** How cluster mode is installed; a test mentions what it is about. */
export const aClusterMode = (given: Partial<ClusterMode> = {}): ClusterMode => ({
  version: 1,
  apacheFile: '/etc/apache2/conf.d/muster-cluster-mode.conf',
  state: '/run/muster-cluster-mode',
  port: 4580,
  clusterUi: 'https://muster.acme.test/ui/',
  server: 'https://127.0.0.1',
  locksContent: true,
  secret: '0123456789abcdef0123456789abcdef',
  ...given,
});
