package agent

import "testing"

// A provider's own name of an error, where it has one meaning, counts for more than the words
// beside it, and an HTTP status of the request's own faults is no trouble of the server.
func TestNamesOfErrors(t *testing.T) {
	for _, c := range []struct {
		kind, about string
		status      int
		text        string
	}{
		{ContextOverflow, "", 400, `{"error":{"message":"Rephrase and ask again later","code":"context_length_exceeded"}}`},
		{Refusal, "", 400, `{"error":{"message":"The request has too many tokens of this sort","innererror":{"code":"ResponsibleAIPolicyViolation"}}}`},
		{Unusable, AboutLogin, 400, `{"error":{"type":"authentication_error","message":"The service is busy with your key"}}`},
		{Unusable, AboutModel, 400, `{"error":{"message":"no endpoints available for this model under your current plan and policies","code":"no_available_model_endpoints"}}`},
		{Unusable, AboutLogin, 404, `{"error":{"message":"Your organization must be verified to use the model o9.","code":"model_not_found"}}`},
		{Unusable, AboutModel, 0, `openai.NotFoundError: Error code: 404 - {'error': {'message': 'Ask your operator', 'code': 'model_not_found'}}`},
		{Transient, "", 0, `{"type":"error","error":{"type":"overloaded_error","message":"Your login was queued"}}`},
		{Transient, "", 429, `{"error":{"code":"insufficient_quota","message":"You exceeded your current quota, please check your plan and billing details. For details, see: https://help.aliyun.com/zh/model-studio/error-code#token-limit"}}`},
		{Unusable, AboutAccount, 402, `{"error":{"message":"Prompt tokens limit exceeded: 45211 > 18233. To increase, upgrade to a paid account","code":402}}`},
		{Unusable, AboutFlags, 400, `{"error":{"message":"This model's maximum completion length is 65536, got 128000 from max_tokens"}}`},
		{Unusable, AboutFlags, 400, `{"error":{"message":"Fast mode is available in research preview. It is not yet available via API."}}`},
		{Unusable, AboutModel, 400, `{"error":"Failed to load model \"qwen3-coder-30b\". Error: Model loading was stopped due to insufficient system resources."}`},
		{Unusable, AboutLogin, 0, `Error: Codex sign-in is restricted to the workspace 'acme' by your managed configuration.`},
		{UsageLimit, "", 0, `Out of free Amp usage for today. Your $10 daily grant replenishes hourly; add credits to go on now.`},
		{"", "", 400, `{"error":{"message":"The Responses API is only enabled for api-version 2025-03-01-preview and later","code":"BadRequest"}}`},
		{"", "", 0, `API Error: Claude's response exceeded the 32000 output token maximum. To configure this behavior, set the CLAUDE_CODE_MAX_OUTPUT_TOKENS environment variable.`},
	} {
		r := read(fault{status: c.status, said: c.text}, noon)
		if r.kind != c.kind || r.about != c.about {
			t.Errorf("%q about %q, not %q about %q: %s", r.kind, r.about, c.kind, c.about, c.text)
		}
	}
}
