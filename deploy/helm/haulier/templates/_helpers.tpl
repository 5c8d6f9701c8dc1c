{{- define "haulier.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end -}}

{{- define "haulier.labels" -}}
app.kubernetes.io/name: haulier
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
{{- end -}}

{{- define "haulier.pod" -}}
enableServiceLinks: false
automountServiceAccountToken: false
terminationGracePeriodSeconds: {{ add (mul 2 .Values.shutdownGraceSeconds) 15 }}
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  seccompProfile: { type: RuntimeDefault }
volumes:
  - name: secrets
    secret: { secretName: {{ .Values.existingSecret }}, defaultMode: 0440 }
  - name: tmp
    emptyDir: {}
  - name: home
    emptyDir: {}
{{- end -}}

{{- define "haulier.container" -}}
image: {{ include "haulier.image" . }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  readOnlyRootFilesystem: true
  allowPrivilegeEscalation: false
  capabilities: { drop: [ALL] }
volumeMounts:
  - { name: secrets, mountPath: /run/secrets/haulier, readOnly: true }
  - { name: tmp, mountPath: /tmp }
  - { name: home, mountPath: /srv/haulier }
env:
  - { name: HAULIER_DATABASE_FILE, value: /run/secrets/haulier/database }
  - { name: HAULIER_SECRETS_KEYS_FILE, value: /run/secrets/haulier/secrets_keys }
  - { name: HAULIER_MAIL_FILE, value: /run/secrets/haulier/mail }
  - { name: HAULIER_MAIL_FROM, value: {{ .Values.mailFrom | quote }} }
  - { name: HAULIER_BASE_URL, value: {{ .Values.baseUrl | quote }} }
  - { name: HAULIER_BACKGROUND, value: "false" }
  - { name: HAULIER_SHUTDOWN_GRACE_S, value: {{ .Values.shutdownGraceSeconds | quote }} }
  - { name: HAULIER_METRICS_ADDRESS, value: "0.0.0.0:9464" }
  - { name: FORWARDED_ALLOW_IPS, value: "*" }
{{- range $name, $value := .Values.settings }}
  - { name: HAULIER_{{ $name }}, value: {{ $value | quote }} }
{{- end }}
{{- end -}}
