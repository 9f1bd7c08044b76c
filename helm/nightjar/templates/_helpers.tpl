{{- define "nightjar.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{/* 46 characters leave room for the longest suffix and a StatefulSet's hash. */}}
{{- define "nightjar.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 46 | trimSuffix "-" -}}
{{- else if contains (include "nightjar.name" .) .Release.Name -}}
{{- .Release.Name | trunc 46 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name (include "nightjar.name" .) | trunc 46 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "nightjar.selectorLabels" -}}
app.kubernetes.io/name: {{ include "nightjar.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: gateway
{{- end -}}

{{- define "nightjar.redisSelectorLabels" -}}
app.kubernetes.io/name: {{ include "nightjar.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: redis
{{- end -}}

{{- define "nightjar.commonLabels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
app.kubernetes.io/part-of: nightjar
{{- with .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "nightjar.labels" -}}
{{ include "nightjar.selectorLabels" . }}
{{ include "nightjar.commonLabels" . }}
{{- end -}}

{{- define "nightjar.redisLabels" -}}
{{ include "nightjar.redisSelectorLabels" . }}
{{ include "nightjar.commonLabels" . }}
{{- end -}}

{{- define "nightjar.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "nightjar.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{- define "nightjar.image" -}}
{{- $tag := default .Chart.AppVersion .Values.image.tag -}}
{{- if .Values.image.digest -}}
{{- printf "%s:%s@%s" .Values.image.repository $tag .Values.image.digest -}}
{{- else -}}
{{- printf "%s:%s" .Values.image.repository $tag -}}
{{- end -}}
{{- end -}}

{{- define "nightjar.drainSeconds" -}}
{{- dig "execution" "drainSeconds" 25 .Values.config | int -}}
{{- end -}}

{{/* The gateway gives itself drainSeconds + 5 after SIGTERM; the pod must outlive that. */}}
{{- define "nightjar.gracePeriod" -}}
{{- $drain := include "nightjar.drainSeconds" . | int -}}
{{- if .Values.terminationGracePeriodSeconds -}}
{{- .Values.terminationGracePeriodSeconds | int -}}
{{- else -}}
{{- add (int .Values.preStopSeconds) $drain 10 -}}
{{- end -}}
{{- end -}}

{{- define "nightjar.publicHost" -}}
{{- with .Values.config.publicUrl -}}
{{- (urlParse .).host | splitList ":" | first -}}
{{- end -}}
{{- end -}}

{{/* The ports of Redis, and of its Sentinels where the URL names them, with commas between. */}}
{{- define "nightjar.redisPorts" -}}
{{- $url := .Values.externalRedis.url -}}
{{- $own := .Values.networkPolicy.redisPort | int -}}
{{- if .Values.redis.enabled -}}
6379
{{- else -}}
{{- $ports := list -}}
{{- range splitList "," (regexReplaceAll "^[a-z+]+://|/[^/]*$" $url "") -}}
{{- $default := ternary "26379" "6379" (contains "+sentinel:" $url) -}}
{{- $ports = append $ports (regexFind ":[0-9]+$" . | trimPrefix ":" | default $default) -}}
{{- end -}}
{{- if contains "+sentinel:" $url -}}
{{- $ports = append $ports ($own | default 6379 | toString) -}}
{{- else if $own -}}
{{- $ports = list (toString $own) -}}
{{- end -}}
{{- $ports | uniq | join "," -}}
{{- end -}}
{{- end -}}

{{- define "nightjar.configFile" -}}
{{- toYaml .Values.config -}}
{{- end -}}
