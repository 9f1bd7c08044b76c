import type { LabelFamily } from './concept.js';
import { SEVERITY_LABELS } from '../../tools/severity.js';

const HOSTS = [
  'instance',
  'host',
  'hostname',
  'node',
  'nodename',
  'ident',
  'target_ident',
  'server',
  'machine',
  'ip',
];
const SERVICES = ['service', 'service_name', 'app', 'application', 'component', 'job'];

/**
 * What people call a label, and how labels are named. A word that is itself the name of a live label
 * always means that label first.
 */
export const LABEL_FAMILIES: readonly LabelFamily[] = [
  {
    words:
      'severity|severities|severity level|severity levels|level|levels|priority|priorities|sev|criticality|urgency|级别|等级|严重程度|严重性|优先级|告警级别|告警等级|报警级别|严重级别|严重等级',
    labels: SEVERITY_LABELS,
  },
  {
    words:
      'group|groups|business group|business groups|busigroup|业务组|业务群组|分组|组|群组|业务线|业务组别',
    labels: ['busigroup', 'business_group', 'busi_group', 'group_name', 'group', 'bg'],
    loose: ['team'],
  },
  {
    words:
      'team|teams|squad|squads|crew|owner|owners|department|团队|小组|负责人|部门|班组|负责团队',
    labels: ['team', 'squad', 'owner', 'department', 'dept'],
    loose: ['group', 'busigroup', 'group_name'],
  },
  {
    words: 'cluster|clusters|kubernetes cluster|k8s cluster|集群',
    labels: ['cluster', 'cluster_name', 'k8s_cluster', 'kubernetes_cluster'],
  },
  {
    words: 'env|envs|environment|environments|环境',
    labels: ['env', 'environment'],
    loose: ['stage', 'tier'],
  },
  {
    words: 'namespace|namespaces|ns|命名空间|名称空间|名字空间',
    labels: ['namespace', 'kubernetes_namespace', 'exported_namespace', 'ns'],
  },
  { words: 'instance|instances|实例', labels: HOSTS },
  {
    words:
      'host|hosts|hostname|hostnames|machine|machines|server|servers|box|boxes|vm|vms|ip|address|addresses|主机|机器|服务器|主机名|设备|云主机|物理机|虚拟机|地址',
    labels: [
      'host',
      'hostname',
      'ident',
      'target_ident',
      'instance',
      'node',
      'nodename',
      'server',
      'machine',
      'ip',
    ],
  },
  {
    words: 'node|nodes|节点',
    labels: ['node', 'nodename', 'instance', 'host', 'hostname', 'ident'],
  },
  {
    words: 'service|services|svc|microservice|microservices|服务|微服务',
    labels: SERVICES,
  },
  {
    words: 'app|apps|application|applications|应用|应用程序',
    labels: ['app', 'application', 'service', 'service_name', 'component', 'job'],
  },
  { words: 'component|components|组件', labels: ['component', ...SERVICES] },
  { words: 'job|jobs|任务|作业', labels: ['job', 'exported_job', 'job_name'] },
  {
    words:
      'region|regions|datacenter|datacenters|data center|data centers|dc|dcs|site|sites|location|locations|区域|地域|机房|地区|数据中心',
    labels: ['region', 'datacenter', 'dc', 'idc', 'site', 'location', 'zone', 'az'],
  },
  {
    words: 'zone|zones|az|availability zone|availability zones|可用区',
    labels: ['zone', 'az', 'availability_zone', 'region'],
  },
  { words: 'pod|pods|容器组', labels: ['pod', 'pod_name', 'kubernetes_pod_name'] },
  { words: 'container|containers|容器', labels: ['container', 'container_name'] },
  { words: 'deployment|deployments|部署', labels: ['deployment'] },
  { words: 'database|databases|db|dbs|数据库', labels: ['database', 'db', 'datname'] },
  { words: 'device|devices|磁盘设备', labels: ['device'] },
  { words: 'interface|interfaces|网卡', labels: ['interface', 'device'] },
  { words: 'mountpoint|mountpoints|mount point|挂载点', labels: ['mountpoint'] },
  { words: 'product|products|产品', labels: ['product'] },
  { words: 'customer|customers|client|客户', labels: ['customer', 'client'] },
  { words: 'project|projects|项目', labels: ['project'] },
  {
    words:
      'alertname|alert name|alert names|alertnames|name of the alert|names of the alerts|type of alert|types of alert|alert type|alert types|告警名|告警名称|告警名字|名称|告警类型|告警种类',
    labels: ['alertname'],
  },
];
