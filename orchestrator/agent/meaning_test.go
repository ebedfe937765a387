package agent

import (
	"testing"
	"time"

	"autobuild/internal/proc"
)

// Errors in words that no text of a sign has are read by the meaning of their sentences.
func TestMeanings(t *testing.T) {
	for _, c := range []struct {
		kind   string
		status int
		text   string
	}{
		{ContextOverflow, 400, `{"error":{"message":"Please shorten your input or raise n_ctx: 140233 tokens do not fit in 131072","type":"invalid_request_error"}}`},
		{ContextOverflow, 400, `{"__type":"ValidationException","message":"The combined size of the tool results (7.2 MB) is above what this model accepts (5 MB)."}`},
		{ContextOverflow, 400, `{"error":{"message":"Input length 140000 is longer than the window of 131072 that deepseek-v5 offers","type":"invalid_request_error"}}`},
		{ContextOverflow, 400, `{"error":"The number of tokens to keep from the initial prompt is greater than the context length. Try to load the model with a larger context length, or provide a shorter input."}`},
		{ContextOverflow, 400, `{"error":"Trying to keep the first 98000 tokens when context overflows. However, the model is loaded with context length of only 32768 tokens"}`},
		{Refusal, 400, `API Error: Our classifiers stopped this response because it touched a restricted topic (chemical weapons). Edit your message to go on.`},
		{Refusal, 400, `{"error":{"message":"Invalid prompt: we've limited access to this content for safety reasons.","type":"invalid_request_error","code":"invalid_prompt"}}`},
		{Refusal, 0, `Trusted access is needed for this request. We paused the answer because of potential biological misuse.`},
		{Refusal, 0, `Model stream ended with finish reason RECITATION.`},
		{Refusal, 403, `{"error":{"message":"The upstream provider declined: content policy (self-harm). You were not billed for this request.","code":403}}`},
		{Refusal, 403, `{"code":"permission-denied","error":"Blocked by the safety layer: SAFETY_CHECK_TYPE_BIO"}`},
		{Refusal, 0, `AccessDenied: bedrock guardrail gr-12 intervened and masked the answer`},
		{Refusal, 422, `{"detail":"This reply would breach the publisher rules on violent content and was suppressed"}`},
		{Refusal, 0, `Claude stopped: this chat was ended by a safety measure. Start a new chat.`},
		{Refusal, 0, `Groq: speech safety model Llama Guard declined the prompt`},
		{UsageLimit, 429, `You're out of extra usage · resets Nov 28 at 3am (America/Los_Angeles)`},
		{UsageLimit, 0, `You’ve hit your usage limit. Upgrade to Pro (https://chatgpt.com/explore/pro), visit https://chatgpt.com/codex/settings/usage to purchase more credits or try again at Nov 25th, 2026 2:27 PM.`},
		{UsageLimit, 429, `You have exhausted your capacity on this model. Your quota will reset after 3h12m8s.`},
		{UsageLimit, 0, `今日免费额度已用完，请明天再试`},
		{UsageLimit, 0, `Sorry, you've exceeded your weekly rate limit. Please try again in 2 days and 3 hours, or upgrade to Copilot Pro+. Code: user_weekly_rate_limited`},
		{UsageLimit, 0, `You've hit your usage limit. Get Cursor Pro for more Agent usage. Your usage limits will reset when your monthly cycle ends on 12/3/2026.`},
		{UsageLimit, 429, `Opus usage for this 5-hour window is spent. Available again in 1 hr 25 min.`},
		{UsageLimit, 0, `Premium interactions: 0 of 300 left. The counter starts over on Dec 1 at 00:00 UTC.`},
		{UsageLimit, 1, `kimi: monthly coding package is used up, it renews on 2026-12-05`},
		{UsageLimit, 0, `The workspace quota resets in half an hour; until then requests are turned away`},
		{UsageLimit, 0, `Weekly Codex credits are gone. New credits on Thursday, 9:30 PM UTC.`},
		{UsageLimit, 429, `{"error":{"code":429,"message":"Quota for free requests spent, come back tomorrow","status":"RESOURCE_EXHAUSTED"}}`},
		{UsageLimit, 429, `{"error":{"message":"free-models-per-day-high-balance exceeded","code":429}}`},
		{Transient, 429, `API Error: 429 Capacity constrained: we are throttling low-priority traffic; this does not count against your plan`},
		{Transient, 0, `ServiceUnavailableException: Reached max retries: 4, the model is being scaled up`},
		{Transient, 503, `{"error":{"code":"NoCapacity","message":"The system is currently experiencing high demand and cannot process your request. Your request exceeds the maximum usage size allowed during peak load. For improved capacity reliability, consider switching to Provisioned Throughput."}}`},
		{Transient, 429, `{"error":{"code":"1305","message":"The model currently has too many visits, please try again later"}}`},
		{Transient, 429, `{"error":{"code":"1302","message":"您的账户已达到速率限制，请您控制请求频率"}}`},
		{Transient, 0, `Sorry, you have been rate-limited. Please wait a moment before trying again. Learn More (Server Error: Sorry, you have exceeded your rate limit. Code: user_global_rate_limited:pro)`},
		{Transient, 0, `S: ConnectError: [resource_exhausted] Error`},
		{Transient, 503, `{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}`},
		{Transient, 0, `Expected application/json from the model server but received text/html`},
		{Transient, 0, `error trying to connect: dns error: failed to lookup address information: nodename nor servname provided, or not known`},
		{Transient, 0, `write EPROTO 40E7:error:0A000438:SSL routines:ssl3_read_bytes:tlsv1 alert internal error:../deps/openssl/openssl/ssl/record/rec_layer_s3.c:1590:SSL alert number 80`},
		{Transient, 529, `{"type":"error","error":{"type":"overloaded_error","message":"Your organization is being deprioritized while the service recovers"}}`},
		{Transient, 429, `{"error":{"message":"Tokens-per-minute ceiling of this deployment hit; wait 41s","code":"429"}}`},
		{Transient, 429, `{"error":{"code":429,"message":"Too much traffic on gemini-4-pro for consumer accounts at the moment","status":"RESOURCE_EXHAUSTED"}}`},
		{Transient, 429, `{"error":{"message":"本模型当前访问量过大，请稍后再试","code":"1305"}}`},
		{Transient, 0, `Ollama ran into trouble: the runner died while loading weights, retry in a moment`},
		{Transient, 0, `Post "https://llm.corp.example/v1/responses": proxyconnect tcp: dial tcp 10.1.1.1:3128: connect: network is unreachable`},
		{Transient, 0, `OAuth token refresh failed: connect ETIMEDOUT 160.79.104.10:443`},
		{Transient, 0, `API Error: Repeated 529 Overloaded errors · check status.claude.com`},
		{Transient, 500, `{"error":{"message":"The model produced invalid content. Consider modifying your prompt if you are seeing this error persistently.","type":"model_error"}}`},
		{Transient, 0, `ModelStreamErrorException: the stream broke off, ask again`},
		{Transient, 502, `{"error":{"message":"All providers for this model failed, the last: Chutes 503","code":502}}`},
		{Transient, 429, `{"error":"Max burst reached for tier 2; backoff 15s"}`},
		{Transient, 503, `{"error":"server busy, please try again.  maximum pending requests exceeded"}`},
		{Transient, 0, `hyper::Error(IncompleteMessage): the connection went away before the answer was whole`},
		{Transient, 0, `Error: EAI_NODATA api.anthropic.com`},
		{Unusable, 400, `{"type":"error","error":{"type":"invalid_request_error","message":"tools.12.custom.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12. Learn more about tool use at https://docs.claude.com/en/docs/tool-use."}}`},
		{Unusable, 403, `Your organization has disabled Claude subscription access for Claude Code · Use an Anthropic API key instead, or ask your admin to enable access`},
		{Unusable, 0, "Error: The login keychain is locked. Run `security unlock-keychain` in this session and try again."},
		{Unusable, 0, `To use Codex with your ChatGPT plan, upgrade to Plus: https://chatgpt.com/explore/plus.`},
		{Unusable, 400, `{"error":{"message":"Invalid schema for function 'mcp__tracker__list': In context=('properties', 'filter'), 'additionalProperties' is required to be supplied and to be false.","type":"invalid_request_error","param":"tools[3].parameters","code":"invalid_function_parameters"}}`},
		{Unusable, 0, `Your access token could not be refreshed because your refresh token was already used. Please log out and sign in again.`},
		{Unusable, 0, `Error logging in with device code: device auth timed out after 15 minutes`},
		{Unusable, 403, `{"error":{"code":403,"message":"The caller does not have permission","status":"PERMISSION_DENIED","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"IAM_PERMISSION_DENIED","metadata":{"permission":"cloudaicompanion.companions.generateChat"}}]}}`},
		{Unusable, 0, `Error: This account requires setting the GOOGLE_CLOUD_PROJECT or GOOGLE_CLOUD_PROJECT_ID env var. See https://goo.gle/gemini-cli-auth-docs#workspace-gca`},
		{Unusable, 400, `{"message":"The provided model identifier is invalid."}`},
		{Unusable, 403, `{"message":"User: arn:aws:sts::123456789012:assumed-role/dev/me is not authorized to perform: bedrock:InvokeModelWithResponseStream on resource: arn:aws:bedrock:eu-west-1::inference-profile/x with an explicit deny in a service control policy"}`},
		{Unusable, 400, `{"error":{"code":"OperationNotSupported","message":"The chatCompletion operation does not work with the specified model, gpt-9-pro. Please choose different model and try again."}}`},
		{Unusable, 404, `{"error":{"code":"404","message":"Resource not found"}}`},
		{Unusable, 400, `{"error":{"message":"acme/foo-1 is not a valid model ID","code":400},"user_id":"user_2"}`},
		{Unusable, 401, `{"detail":"Unauthorized"}`},
		{Unusable, 0, `Error: Copilot CLI is not enabled by your enterprise's policy. Ask an owner to turn on 'Copilot in the CLI'.`},
		{Unusable, 0, `Qwen OAuth free tier was discontinued on 2026-04-15. Run /auth to switch to another provider.`},
		{Unusable, 404, `{"error":{"message":"model 'qwen4-coder:30b' not found, try pulling it first","type":"api_error","param":null,"code":null}}`},
		{Unusable, 500, `{"error":"model requires more system memory (34.2 GiB) than is available (15.1 GiB)"}`},
		{Unusable, 400, `{"object":"error","message":"\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set","type":"BadRequestError","param":null,"code":400}`},
		{Unusable, 511, `<html><head><title>Network Authentication Required</title></head><body>You need to authenticate with the local network in order to gain access.</body></html>`},
		{Unusable, 403, `<html><head><title>Internet Security by Zscaler</title></head><body>Your organization has selected Zscaler to protect you from internet threats. Not allowed to browse the category: Generative AI.</body></html>`},
		{Unusable, 0, `httpcore.ConnectError: [SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: certificate is not yet valid (_ssl.c:1006)`},
		{Unusable, 0, `bwrap: No permissions to create new namespace, likely because the kernel does not allow non-privileged user namespaces.`},
		{Unusable, 0, `Your Max subscription couldn't be verified. Sign in once more or contact support.`},
		{Unusable, 0, `You need a ChatGPT Business seat to use this workspace; your seat assignment is pending approval by an owner.`},
		{Unusable, 400, "{\"error\":{\"message\":\"The model `gpt-6-codex` cannot be used with this API version. Pick one of: gpt-6, gpt-6-mini.\",\"type\":\"invalid_request_error\",\"code\":\"model_version_mismatch\"}}"},
		{Unusable, 0, `Error: Google sign-in was cancelled in the browser. Start again with /auth.`},
		{Unusable, 400, `{"message":"The model you picked has reached its end of life in us-east-1."}`},
		{Unusable, 403, `{"error":{"code":"PublicNetworkAccessDisabled","message":"Public access is disabled. Please configure private endpoint."}}`},
		{Unusable, 402, `{"error":{"message":"Your wallet holds $0.02; this call needs at least $0.40","code":402}}`},
		{Unusable, 0, `您的 API 密钥已被禁用，请联系管理员`},
		{Unusable, 0, `cursor-agent: your team's admin limited agent access to members on the allowlist`},
		{Unusable, 0, `TLS: the proxy presented a certificate issued by 'Corp Root CA', which is not in the trust store`},
		{Unusable, 401, `Your Console session ended because an administrator rotated the workspace keys.`},
		{Unusable, 0, `We noticed unusual activity on your account and locked it. Reset your password to go on.`},
		{Unusable, 404, `{"error":{"message":"Engine not found","type":"invalid_request_error"}}`},
		{Unusable, 0, `Gemini Code Assist: your licence was reassigned to someone else by the administrator`},
		{Unusable, 403, `{"error":{"code":403,"message":"Vertex AI API is not enabled for this project","status":"PERMISSION_DENIED"}}`},
		{Unusable, 400, `{"message":"Your bearer token must be renewed: 12h lifetime passed"}`},
		{Unusable, 400, `{"error":{"code":"DeploymentModelDeprecated","message":"gpt-4.1 deployments accept no traffic since 2026-10-14"}}`},
		{Unusable, 0, `DeepSeek: 账户余额为零，请充值`},
		{Unusable, 0, `GitHub says: your Copilot trial is over. Buy Copilot Pro to keep going.`},
		{Unusable, 0, `Copilot: the token in GH_TOKEN lacks the 'copilot_requests' scope`},
		{Unusable, 1, `Error: Cursor needs you to accept updated terms at cursor.com/terms`},
		{Unusable, 0, `amp: workspace spending limit of $50.00 reached, raise it in settings`},
		{Unusable, 0, `requests.exceptions.SSLError: HTTPSConnectionPool: hostname 'api.x.ai' doesn't match '*.corp.example'`},
		{Unusable, 0, `sandbox-exec: sandbox_apply: Operation not permitted`},
		{"", 400, "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"messages.3.content.1: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified.\"}}"},
		{"", 400, `{"error":{"code":400,"message":"Please ensure that function call turn comes immediately after a user turn or after a function response turn.","status":"INVALID_ARGUMENT"}}`},
		{"", 400, `{"error":{"message":"Failed to call a function. Please adjust your prompt. See 'failed_generation' for more details.","type":"invalid_request_error","code":"tool_use_failed","failed_generation":"<tool-use>{}</tool-use>"}}`},
		{"", 400, "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"messages.7: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_01\"}}"},
		{"", 0, "thread 'main' panicked at core/src/client.rs:88:14:\ncalled `Result::unwrap()` on an `Err` value: MissingField(\"usage\")"},
		{"", 0, `Error: EACCES: permission denied, mkdir '/home/me/.config/account'`},
		{"", 0, `Error: apply_patch could not find the expected lines in src/auth/token_limit.go`},
		{"", 400, `{"error":{"message":"Duplicate tool call id call_9 in input; item ids must be unique","type":"invalid_request_error"}}`},
		{"", 0, `Internal error|{"details":"Session aborted: the subprocess of the model context protocol server 'db' exited with code 1"}`},
		{"", 0, `Model replied with a tool call named 'edit_flie', which is unknown`},
		{"", 0, `The patch does not apply: 3 hunks rejected in server/limits.go`},
		{"", 0, `Error: spawn /bin/zsh ENOENT`},
		{"", 0, `Maximum turns (50) reached before the work was complete`},
		{"", 0, `Internal assertion: session store is corrupt (sqlite: file is not a database)`},
		{"", 0, `The hook PreToolUse of your settings blocked the command: exit code 2`},
		{"", 0, `MCP server github failed to start: missing GITHUB_TOKEN`},
	} {
		got := read(fault{status: c.status, said: c.text}, noon).kind
		if got != c.kind {
			t.Errorf("%q, not %q: HTTP %d %s", got, c.kind, c.status, c.text)
		}
	}
}

// In an account of work, words of several classes stand side by side by chance.
func TestProseHasNoMeaning(t *testing.T) {
	for _, text := range []string{
		"The login form now rejects a missing password.",
		"I blocked unsafe input, and the messages that exceed 4 KB are cut.",
		"The subscription page fails where the balance is below zero.",
		"The worker reconnects after the stream was interrupted.",
		"Invalid options of the command line are listed first.",
	} {
		if got := read(fault{said: text, prose: true}, time.Time{}).kind; got != "" {
			t.Errorf("%q: %s", got, text)
		}
		if got := replayPlain("I looked at it.\n"+text+"\n", proc.Exit{Code: 1, Ended: proc.Exited, Tail: "I looked at it.\n" + text + "\n"}).Kind; got != "" {
			t.Errorf("at the end of a run: %q: %s", got, text)
		}
	}
}
