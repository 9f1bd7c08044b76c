import { ConfigError } from '../../config/config-error.js';
import type { GatewayConfig } from '../../config/config.types.js';
import { listenerWarnings } from '../../config/listener-warnings.js';
import type { Finding } from '../../redis/doctor/finding.js';

/** Whether tokens are readable on the way, and the certificate can be used and is not about to end. */
export function examineListener(config: GatewayConfig): Finding[] {
  const finding = (level: Finding['level'], text: string): Finding => ({
    ...{ check: 'tls', where: 'listen', level, text },
  });
  try {
    const warnings = listenerWarnings(config);
    if (warnings.length > 0) return warnings.map((text) => finding('warning', text));
    return config.listen.tls === undefined ? [] : [finding('ok', 'the certificate can be used')];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.faults.map((text) => finding('error', text));
  }
}
