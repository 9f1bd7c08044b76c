import type { SourceError, SourceFault } from '../../sources/source-error.js';

const TITLES = {
  alertmanager: 'Alertmanager',
  prometheus: 'Prometheus',
  n9e: 'n9e',
  demo: '演示数据源',
} as const;

/** As the message of a SourceError, in Chinese. */
export function describeFault({ source, fault }: Pick<SourceError, 'source' | 'fault'>): string {
  return `${TITLES[source.type]} ${source.name} ${describe(fault)}`;
}

function describe(fault: SourceFault): string {
  switch (fault.kind) {
    case 'timeout':
      return `在 ${String(fault.seconds)} 秒内没有应答`;
    case 'unreachable':
      return `无法连接（${fault.code}）`;
    case 'http':
      return fault.status === 401 || fault.status === 403
        ? `拒绝了网关的凭据（HTTP ${String(fault.status)}）`
        : `返回了 HTTP ${String(fault.status)}`;
    case 'redirect':
      return `返回了重定向（HTTP ${String(fault.status)}），不予跟随`;
    case 'not_json':
      return '返回的不是 JSON';
    case 'unexpected':
      return `返回的 JSON 结构不符合预期（${fault.what}）`;
    case 'too_big':
      return `返回的数据超过允许的 ${String(fault.bytes)} 字节`;
    case 'cut':
      return fault.total === undefined
        ? `的数据多于已读取的 ${String(fault.read)} 条，其余未计入`
        : `共有 ${String(fault.total)} 条，其中 ${String(fault.total - fault.read)} 条未读取、未计入`;
    case 'refused':
      return `拒绝了请求：${fault.text}`;
  }
}
