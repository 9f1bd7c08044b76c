import type { PageFault } from '../../sources/runbooks.js';
import { describeFault } from './source-fault-zh.js';
import type { ToolFault } from '../../tools/tool-fault.js';

/** As `faultText`, in Chinese. */
export function chineseFault(fault: ToolFault): string {
  switch (fault.code) {
    case 'end_before_start':
      return '结束时间必须晚于开始时间';
    case 'too_long':
      return `一次最多 ${String(fault.days)} 天`;
    case 'no_runbook_host':
      return '本租户没有开放任何处理手册的主机';
    case 'not_linked':
      return '当前没有告警链接到该页面，它的端口也不是 runbooks.hosts 所开放的';
    case 'page':
      return chinesePage(fault.fault);
    case 'no_history':
      return '本租户没有保留已恢复告警的数据源';
    case 'no_selector':
      return '只接受指标名或选择器，不接受表达式';
    case 'pattern':
      return fault.isComplex
        ? `${JSON.stringify(fault.pattern)} 过于复杂`
        : `无法匹配 ${JSON.stringify(fault.pattern)}：可用字面量、“.”、“[…]”、“(…)”、“|”、“*”、“+”、“?” 和 “{n,m}”`;
    case 'silence_unseen':
      return `无法确定该静默是否存在：${fault.failures.map(describeFault).join('；')}`;
    case 'no_silence':
      return `没有静默 ${fault.id}`;
    case 'silence_ended':
      return '该静默已经结束';
    case 'takes_no_silence':
      return '本租户没有可以创建静默的数据源';
    case 'source_takes_no_silence':
      return `${fault.source} 不接受静默，可用的是：${fault.able}`;
    case 'which_source':
      return `请指明其中一个数据源：${[fault.able, ...fault.failures.map(describeFault)].join('；')}`;
    case 'no_mutes':
      return `${fault.source}：n9e 用户不能从这里修改屏蔽规则`;
    case 'no_mute_right':
      return `${fault.source}：n9e 不允许您在那里修改屏蔽规则，需要该业务组的读写权限，以及含 /alert-mutes/add 和 /alert-mutes/put 的角色`;
    case 'hidden_characters':
      return '匹配条件的值含有不可见字符';
    case 'redacted':
      return '“[redacted]” 代表不予显示的密钥，无法用它匹配';
    case 'holds_secret':
      return '要执行的内容含有疑似密钥，密钥不予显示，因此无法批准';
    case 'matchers_too_long':
      return `匹配条件总共超过 ${String(fault.most)} 个字符`;
    case 'one_end':
      return '时长与结束时间只能给出一个';
    case 'end_is_past':
      return '结束时间必须在将来';
    case 'silence_too_long':
      return `静默最长 ${String(fault.days)} 天`;
    case 'source':
      return describeFault(fault.error);
  }
}

function chinesePage(fault: PageFault): string {
  switch (fault.kind) {
    case 'closed':
      return '这里没有开放读取该主机的页面（见租户的 runbooks.hosts）';
    case 'redirect':
      return '页面重定向到别处，不予跟随';
    case 'http':
      return `页面返回了 HTTP ${String(fault.status)}`;
    case 'no_text':
      return '页面不是文本';
    case 'refused':
      return `网关不访问该地址（the ${fault.text}）`;
    case 'late':
      return '页面没有及时应答';
    case 'unreachable':
      return '无法连接到页面';
  }
}
