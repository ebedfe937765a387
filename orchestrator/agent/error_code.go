package agent

import (
	"slices"
	"strings"

	"autobuild/internal/lazyregexp"
)

// codes are names that providers give their errors in JSON, of those with one meaning. Others such
// as rate_limit_exceeded or PERMISSION_DENIED mean what their message says.
var codes = map[reading]string{
	{kind: ContextOverflow}: `context_length_exceeded exceed_context_size_error
		context_window_exceeded model_context_window_exceeded max_prompt_tokens_exceeded
		string_above_max_length`,
	{kind: Refusal}: `content_filter content_policy_violation responsible_ai_policy_violation
		data_inspection_failed prohibited_content guardrail_intervened`,
	{kind: Unusable, about: AboutAccount}: `insufficient_balance
		insufficient_credits insufficient_funds billing_error billing_hard_limit_reached
		billing_not_active payment_required`,
	{kind: Unusable, about: AboutLogin}: `authentication_error invalid_authentication_error
		invalid_api_key unauthenticated expired_token_exception unrecognized_client_exception
		account_deactivated unsupported_country_region_territory`,
	{kind: Unusable, about: AboutModel}: `model_not_found model_not_supported deployment_not_found
		unknown_model invalid_model no_available_model_endpoints`,
	{kind: UsageLimit}: `usage_limit_reached`,
	{kind: Transient}: `overloaded_error server_is_overloaded engine_overloaded_error
		model_not_ready_exception model_stream_error_exception`,
}

// pythonic is a name of an error where a program in Python prints it.
var pythonic = lazyregexp.New(`'(type|code|status|reason)': '([\w.-]+)'`)

// name takes the name of the error from a field. The first one with a meaning counts.
func (e *errorText) name(field, value string) {
	if len(value) > 60 || e.code.kind != "" {
		return
	}
	switch {
	case strings.HasSuffix(field, "type"), strings.HasSuffix(field, "code"),
		strings.HasSuffix(field, "reason"), field == "status", field == "error":
		value = hump.ReplaceAllString(value[strings.LastIndexByte(value, '#')+1:], "${1}_$2")
		value = strings.ReplaceAll(strings.ToLower(value), "-", "_")
		for r, names := range codes {
			if slices.Contains(strings.Fields(names), value) {
				e.code = r
			}
		}
	}
}
