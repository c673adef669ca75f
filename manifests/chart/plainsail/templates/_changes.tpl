{{/* What the values change in the objects of manifests/base. Each takes a dict with "root" and changes "object" in place. */}}

{{/* Names of cluster-scoped objects end with the namespace, unless it is the usual one: two installs do not meet. */}}
{{- define "plainsail.suffix" -}}
{{- if ne .Release.Namespace "plainsail-system" }}-{{ .Release.Namespace }}{{ end -}}
{{- end -}}

{{/* "yes" when the webhook serves a certificate from files instead of its own authority's. */}}
{{- define "plainsail.certificateFromFiles" -}}
{{- if or .Values.certManager .Values.webhook.tls.secretName }}yes{{ end -}}
{{- end -}}

{{/* "yes" when the object belongs into this install. */}}
{{- define "plainsail.wanted" -}}
{{- $values := .root.Values -}}
{{- $kind := .object.kind -}}
{{- $authority := and (hasPrefix "plainsail-webhook-authority" .object.metadata.name) (include "plainsail.certificateFromFiles" .root) -}}
{{- if and (ne $kind "Namespace") (ne $kind "NetworkPolicy") (not $authority) }}yes
{{- else if and (eq $kind "Namespace") $values.namespace.create }}yes
{{- else if and (eq $kind "NetworkPolicy") $values.networkPolicy }}yes
{{- end -}}
{{- end -}}

{{- define "plainsail.labels" -}}
{{- $labels := merge (dict "app.kubernetes.io/part-of" "plainsail") .root.Values.extraLabels (.object.metadata.labels | default dict) -}}
{{- $_ := set .object.metadata "labels" $labels -}}
{{- end -}}

{{- define "plainsail.clusterScoped" -}}
{{- $suffix := include "plainsail.suffix" .root -}}
{{- $object := .object -}}
{{- if has $object.kind (list "ClusterRole" "ClusterRoleBinding" "MutatingWebhookConfiguration" "ValidatingAdmissionPolicy" "ValidatingAdmissionPolicyBinding") -}}
{{- $_ := set $object.metadata "name" (printf "%s%s" $object.metadata.name $suffix) -}}
{{- end -}}
{{- if eq $object.kind "ClusterRoleBinding" -}}
{{- $_ := set $object.roleRef "name" (printf "%s%s" $object.roleRef.name $suffix) -}}
{{- else if eq $object.kind "ValidatingAdmissionPolicyBinding" -}}
{{- $_ := set $object.spec "policyName" (printf "%s%s" $object.spec.policyName $suffix) -}}
{{- else if eq $object.kind "ClusterRole" -}}
{{- range $rule := $object.rules -}}
{{- if has "mutatingwebhookconfigurations" $rule.resources -}}
{{- $_ := set $rule "resourceNames" (list (printf "plainsail%s" $suffix)) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Adds the user's conditions to a namespaceSelector. */}}
{{- define "plainsail.namespaces" -}}
{{- with .more.matchLabels -}}{{- $_ := set $.selector "matchLabels" . -}}{{- end -}}
{{- with .more.matchExpressions -}}{{- $_ := set $.selector "matchExpressions" (concat $.selector.matchExpressions .) -}}{{- end -}}
{{- end -}}

{{- define "plainsail.admission" -}}
{{- $webhook := .root.Values.webhook -}}
{{- if eq .object.kind "MutatingWebhookConfiguration" -}}
{{- if .root.Values.certManager -}}
{{- $_ := set .object.metadata "annotations" (dict "cert-manager.io/inject-ca-from" (printf "%s/plainsail-webhook" .root.Release.Namespace)) -}}
{{- end -}}
{{- range $entry := .object.webhooks -}}
{{- include "plainsail.namespaces" (dict "selector" $entry.namespaceSelector "more" $webhook.namespaceSelector) -}}
{{- with $webhook.tls.caBundle -}}{{- $_ := set $entry.clientConfig "caBundle" . -}}{{- end -}}
{{- if eq $entry.name "mutate.plainsail.dev" -}}
{{- $_ := set $entry "failurePolicy" $webhook.failurePolicy -}}
{{- $_ := set $entry "timeoutSeconds" $webhook.timeoutSeconds -}}
{{- end -}}
{{- end -}}
{{- else if eq .object.kind "ValidatingAdmissionPolicy" -}}
{{- include "plainsail.namespaces" (dict "selector" .object.spec.matchConstraints.namespaceSelector "more" $webhook.namespaceSelector) -}}
{{- end -}}
{{- end -}}

{{- define "plainsail.image" -}}
{{- $repository := .image.repository -}}
{{- with .image.registry -}}{{- $repository = printf "%s/%s" . $repository -}}{{- end -}}
{{- printf "%s:%s" $repository (.image.tag | default .root.Chart.AppVersion) -}}
{{- end -}}

{{/* A Deployment of ours; "values" are those of its program, "settings" the text whose change replaces the pods. */}}
{{- define "plainsail.deployment" -}}
{{- $values := .values -}}
{{- $template := .object.spec.template -}}
{{- $container := first $template.spec.containers -}}
{{- $_ := set .object.spec "replicas" $values.replicas -}}
{{- $_ := set $container "image" (include "plainsail.image" (dict "root" .root "image" $values.image)) -}}
{{- with $values.image.pullPolicy -}}{{- $_ := set $container "imagePullPolicy" . -}}{{- end -}}
{{- $_ := set $container "resources" $values.resources -}}
{{- with .root.Values.imagePullSecrets -}}{{- $_ := set $template.spec "imagePullSecrets" . -}}{{- end -}}
{{- with $values.nodeSelector -}}{{- $_ := set $template.spec "nodeSelector" . -}}{{- end -}}
{{- with $values.tolerations -}}{{- $_ := set $template.spec "tolerations" . -}}{{- end -}}
{{- with $values.affinity -}}{{- $_ := set $template.spec "affinity" . -}}{{- end -}}
{{- $_ := set $template.metadata "labels" (merge $template.metadata.labels $values.podLabels .root.Values.extraLabels) -}}
{{- $_ := set $template.metadata "annotations" (merge (dict "checksum/settings" (sha256sum .settings)) $values.podAnnotations) -}}
{{- $_ := set $container "args" (concat $container.args .args) -}}
{{- end -}}

{{/* The same that the cert-manager overlay does to the webhook's Deployment, with the Secret of the values if they name one. */}}
{{- define "plainsail.certificate" -}}
{{- $patch := (.root.Files.Get "cert-manager/webhook.yaml" | fromYaml).spec.template.spec -}}
{{- $spec := .object.spec.template.spec -}}
{{- $container := first $spec.containers -}}
{{- $from := first $patch.containers -}}
{{- $volume := first $patch.volumes -}}
{{- with .root.Values.webhook.tls.secretName -}}{{- $_ := set $volume.secret "secretName" . -}}{{- end -}}
{{- $_ := set $container "args" $from.args -}}
{{- $_ := set $container "volumeMounts" (concat $container.volumeMounts $from.volumeMounts) -}}
{{- $_ := set $spec "volumes" (concat $spec.volumes $patch.volumes) -}}
{{- end -}}
