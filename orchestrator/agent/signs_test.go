package agent

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// words are what providers and agents say, by what it is, with the HTTP status that comes with it
// (0: none). Most are quoted from their documentation, their source or from runs.
var providerWords = map[string][]struct {
	status int
	text   string
}{
	ContextOverflow: {
		{400, "Prompt exceeds max length"},
		{0, "PDF too large. Please double press esc to edit your message and try again."},
		{0, "Image was too large. Double press esc to go back and try again with a smaller image."},
		{400, "prompt is too long: 210000 tokens > 200000 maximum"},
		{400, "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length or `max_tokens` and try again"},
		{413, "Request exceeds the maximum size"},
		{400, "This model's maximum context length is 128000 tokens. However, your messages resulted in 130001 tokens."},
		{400, "Your input exceeds the context window of this model. Please adjust your input and try again."},
		{400, "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 300000 tokens."},
		{400, "The input token count (1250000) exceeds the maximum number of tokens allowed (1048576)."},
		{400, "Request payload size exceeds the limit: 20971520 bytes."},
		{400, "<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 129024]"},
		{400, "Invalid request: Your request exceeded model token limit: 131072"},
		{400, "This model's maximum prompt length is 131072 but the request contains 140000 tokens."},
		{400, "Please reduce the length of the messages or completion."},
		{429, "Request too large for gpt-x in organization o on tokens per min (TPM): Limit 10000, Requested 13000."},
		{400, "Input is too long for requested model."},
		{400, "the request exceeds the available context size. try increasing the context size or enable context shift"},
		{400, "prompt token count of 145000 exceeds the limit of 128000"},
		{0, "Codex ran out of room in the model's context window. Start a new conversation or clear earlier history before retrying."},
		{0, "Prompt is too long"},
		{0, "Context exhausted: 210000/200000 tokens"},
		{400, "messages.3.content.1.image: image exceeds 5 MB maximum: 6291456 bytes > 5242880 bytes"},
	},
	Refusal: {
		{400, "Invalid prompt: your prompt was flagged as potentially violating our usage policy. Please try again with a different prompt."},
		{0, "API Error: Claude Code is unable to respond to this request, which appears to violate our Usage Policy"},
		{0, "Incomplete response returned, reason: content_filter"},
		{400, "The response was filtered due to the prompt triggering Azure OpenAI's content management policy."},
		{0, "Response stopped due to safety reasons."},
		{0, "Response stopped due to prohibited content."},
		{0, "Response stopped due to forbidden content (blocklist)."},
		{0, "Provider finish_reason: content_filter"},
		{400, "Input data may contain inappropriate content."},
		{400, "Content Exists Risk"},
		{400, "The request was rejected because it was considered high risk"},
		{400, "Your request was rejected as a result of our safety system."},
		{403, "Content violates usage guidelines."},
		{403, "openai/gpt-x requires moderation. Your input was flagged for \"violence\"."},
		{0, "The model returned a refusal"},
		{0, "This content was flagged for possible cybersecurity risk."},
		{0, "Response blocked by AI guardrails"},
		{0, "I'm sorry, but I can't assist with that request."},
		{0, "I’m sorry, I cannot help with this."},
	},
	Loop: {
		{0, "Loop detected, stopping execution"},
		{0, "Loop detection halted the run (consecutive_identical_tool_calls: the model repeated the same tool call with identical arguments)."},
		{0, "A potential loop was detected"},
	},
	UsageLimit: {
		{0, "You've used 100% of your Sonnet allotment for the week. It comes back Thursday 10am."},
		{0, "error: overage not allowed: Your monthly spend limit of $20.00 has been reached. It resets on Dec 1."},
		{402, "You have no quota. Your monthly premium requests are used up; they reset on December 1."},
		{403, "Out of call volume quota. Quota will be replenished in 12:34:56."},
		{0, "已达到 5 小时的使用上限。您的限额将在 2026-11-23 23:10:05 重置。"},
		{429, "You've hit your usage limit. Upgrade to Pro or try again at 8:57 AM."},
		{429, "You’ve hit your usage limit."},
		{429, "You've hit your 5-hour limit · resets 8:57am (UTC)"},
		{429, "Claude AI usage limit reached|1795295820"},
		{429, "You're out of extra usage · resets 5pm (UTC)"},
		{429, "5-hour limit reached ∙ resets 3pm"},
		{429, "You have exhausted your daily quota on this model."},
		{429, "You have exhausted your capacity on this model. Your quota will reset after 53s."},
		{429, "Rate limit reached for model `m` on tokens per day (TPD): Limit 100000, Used 99000. Please try again in 7m12s."},
		{400, "You have reached your specified API usage limits. You will regain access on 2026-12-01 at 00:00 UTC."},
		{429, "Usage limit reached for 5 hour. Your limit will reset at 2026-11-23 18:00:00"},
		{429, "Sorry, you've exceeded your weekly rate limit. Please try again in 2 hours."},
		{402, "You have exceeded your premium request allowance."},
		{429, "You've reached your weekly limit for this plan"},
		{429, "You have used all of your included requests for this billing period. Resets on Dec 1."},
		{402, "You have used all of your included requests for this billing period. Resets on Dec 1."},
		{0, "Weekly limit reached - resets Thu 9am"},
		{429, "Next request allowed at 2026-11-23T15:00:00Z"},
	},
	Transient: {
		{0, "The API has triggered a frequency limit."},
		{0, "rpc error: code = Unavailable desc = error reading from server: EOF"},
		{0, "dial tcp: lookup api.openai.com on 127.0.0.53:53: server misbehaving"},
		{0, "Post \"https://api.x.com/v1/messages\": context deadline exceeded (Client.Timeout exceeded while awaiting headers)"},
		{0, "Server is temporarily limiting requests (not your usage limit) · Rate limited"},
		{429, "This request would exceed your organization's rate limit of 30,000 input tokens per minute"},
		{529, "Overloaded"},
		{503, "The model is overloaded. Please try again later."},
		{503, "The engine is currently overloaded, please try again later"},
		{500, "Internal server error"},
		{502, "Bad Gateway"},
		{504, "upstream request timeout"},
		{0, "Request timed out."},
		{0, "api_timeout"},
		{0, "Streaming response stalled: no data received for 120s"},
		{0, "terminated (cause: UND_ERR_SOCKET: other side closed)"},
		{0, "UND_ERR_HEADERS_TIMEOUT"},
		{0, "UND_ERR_CONNECT_TIMEOUT"},
		{0, "Invalid response body while trying to fetch http://127.0.0.1: Premature close"},
		{0, "ERR_STREAM_PREMATURE_CLOSE"},
		{0, "stream disconnected before completion: idle timeout waiting for SSE"},
		{0, "stream idle timeout"},
		{429, "ThrottlingException: Too many requests, please wait before trying again."},
		{429, "ThrottlingException: Too many tokens, please wait before trying again."},
		{0, "peer closed connection without sending complete message body (incomplete chunked read)"},
		{0, "unexpected EOF"},
		{0, "Unexpected end of JSON input"},
		{0, "Unexpected token '<', \"<!doctype \"... is not valid JSON"},
		{0, "error sending request for url (http://127.0.0.1:1/v1/responses)"},
		{0, "getaddrinfo ENOTFOUND api.example.com"},
		{0, "getaddrinfo EAI_AGAIN api.example.com"},
		{0, "connect ETIMEDOUT 10.0.0.1:443"},
		{0, "read ECONNRESET"},
		{0, "write EPIPE"},
		{0, "socket hang up"},
		{0, "dns error: failed to lookup address information: Temporary failure in name resolution"},
		{0, "Selected model is at capacity. Please try a different model."},
		{0, "We’re currently experiencing high demand, which may cause temporary errors."},
		{0, "The model is currently not available, please try again later"},
		{504, "Deadline exceeded"},
		{0, "http2: server sent GOAWAY and closed the connection"},
		{0, "Connection error."},
		{0, "net::ERR_INTERNET_DISCONNECTED"},
		{0, "net::ERR_NAME_NOT_RESOLVED"},
		{0, "Slow down! You are sending requests too quickly."},
		{429, "Slow down! You are sending requests too quickly."},
	},
	Unusable: {
		{400, "tools.0.custom.input_schema: JSON schema is invalid"},
		{422, "temperature must be at most 1"},
		{400, "max_tokens: 200000 > 64000, which is the maximum allowed number of output tokens"},
		{0, "Zscaler: access to this site has been blocked by your organization's policy"},
		{0, "This client is no longer supported for Gemini Code Assist for individuals."},
		{0, "Unsupported value: 'xhigh' is not supported with the 'gpt-5' model"},
		{0, "Your GitHub token may be invalid, expired, or lacking the required permissions."},
		{0, "You are not subscribed. Run /subscribe to continue."},
		{0, "余额不足或无可用资源包,请充值。"},
		{0, "Error: Access denied by policy settings. Your Copilot CLI policy setting may be preventing access."},
		{0, "ERROR: Your authentication token has been invalidated. Please try signing in again."},
		{400, "The 'gpt-5.9' model requires a newer version of Codex. Please upgrade to the latest app or CLI and try again."},
		{0, "To use Codex with your ChatGPT plan, upgrade to Plus: https://chatgpt.com/explore/plus."},
		{0, "Missing scopes: api.responses.write. Check that you have the correct role in your organization"},
		{0, "You have no remaining credits. Add credits to continue."},
		{0, "Error loading config.toml: unknown variant `x`, expected one of `a`, `b`"},
		{0, "Error: failed to parse config.toml: TOML parse error at line 3, column 1"},
		{0, "Error: error loading default config after config error: missing field `model`"},
		{400, "Unsupported value: 'reasoning.effort' does not support 'xhigh' with this model."},
		{0, "Unknown arguments: no-such-flag-xyz, noSuchFlagXyz"},
		{0, "error: invalid value 'xhighh' for '-c <key=value>'"},
		{0, "Cannot use this model: gpt-9. Available models: auto, sonnet-4.5, gpt-5"},
		{0, "Workspace Trust Required. Pass --trust, --yolo, or -f if you trust this directory"},
		{0, "Token refresh failed: 400"},
		{0, "Could not resolve authentication method"},
		{0, "Error: Configuration is invalid at /home/u/.config/opencode/opencode.json"},
		{0, "Token is expired. To refresh this SSO session run 'aws sso login' with the corresponding profile."},
		{0, "botocore.exceptions.NoCredentialsError: Unable to locate credentials"},
		{0, "Error: Invalid MCP configuration: MCP config file not found: /x.json"},
		{0, "Error: Settings file not found: /nope.json"},
		{0, "Error: It looks like your version of Claude Code (1.0.3) needs an update."},
		{0, "Claude Opus is not available with the Claude Pro plan."},
		{0, "Claude Code might not be available in your country. Check supported countries."},
		{0, "Your current account is not eligible for Gemini Code Assist for individuals."},
		{0, "Validation required: Verify your account to continue."},
		{0, "LLM not set, send \"/login\" to login"},
		{0, "Error: unsupported Node.js version v18.0.0, Node 22+ is required"},
		{429, "Your GLM Coding Plan package has expired and is temporarily unavailable. You can resume using it after renewing your subscription."},
		{401, "invalid x-api-key"},
		{401, "Incorrect API key provided: sk-***. You can find your API key at https://example.com."},
		{400, "API key not valid. Please pass a valid API key."},
		{401, "Your access token could not be refreshed because your refresh token was already used. Please log out and sign in again."},
		{401, "OAuth token has expired. Please obtain a new token or refresh your existing token."},
		{401, "The security token included in the request is expired"},
		{400, "invalid_grant"},
		{0, "Could not load credentials from any providers"},
		{403, "Country, region, or territory not supported"},
		{400, "User location is not supported for the API use."},
		{403, "Your account does not have access to Claude Code. Please run /login."},
		{403, "This organization has been disabled."},
		{404, "models/gemini-9 is not found for API version v1beta, or is not supported for generateContent."},
		{404, "The model `gpt-0` does not exist or you do not have access to it."},
		{404, "model: claude-nothing"},
		{404, "model 'llama9' not found, try pulling it first"},
		{400, "openai/gpt-0 is not a valid model ID"},
		{404, "No endpoints found for openai/gpt-0."},
		{400, "The requested model is not supported."},
		{400, "Model Not Exist"},
		{400, "The provided model identifier is invalid."},
		{400, "The model `m` has been decommissioned and is no longer supported."},
		{404, "Not found the model kimi-0 or Permission denied"},
		{404, "Publisher Model `projects/p/models/m` was not found or your project does not have access to it."},
		{400, "Your credit balance is too low to access the Anthropic API."},
		{429, "You exceeded your current quota, please check your plan and billing details."},
		{402, "Insufficient Balance"},
		{402, "This request requires more credits, or fewer max_tokens."},
		{429, "Your account is suspended, please check your plan and billing details"},
		{402, "You have no quota"},
		{0, "self signed certificate in certificate chain"},
		{0, "Missing environment variable: `OPENAI_API_KEY`."},
		{402, "Credits exhausted"},
		{0, "Your subscription has expired"},
		{0, "Monthly spending cap hit"},
		{0, "Permission denied on resource project p."},
		{403, "PERMISSION_DENIED: the caller does not have it"},
		{0, "Failed to authenticate. Use the login command."},
		{0, "Authentication failed"},
		{0, "error: unknown option '--allowedTool'"},
	},
	"": {
		{418, "I am a teapot"},
		{0, "something went wrong"},
		{0, "TypeError: authenticateUser is not a function"},
		{0, "Error: Cannot find module './authenticator'"},
		{0, "EACCES: permission denied, open '/home/me/.cache/agent.log'"},
		{0, "mkdir /var/lib/agent: permission denied"},
		{0, "open /srv/account/token: permission denied"},
		{0, "TypeError: authentication is not a function"},
		{0, "Cannot read properties of undefined (reading 'length')"},
	},
}

// A provider's message is read alike however an agent passes it on: as bare words, behind the HTTP
// status, and as the provider's JSON, whole, behind words of the agent's, or packed into a string
// of another document.
func TestSigns(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine works, slowly under the race detector")
	}
	for want, all := range providerWords {
		for _, w := range all {
			forms := map[string]string{"text": w.text, "sentence": "the turn failed: " + w.text}
			if w.status != 0 {
				forms["status before"] = fmt.Sprintf("unexpected status %d: %s", w.status, w.text)
				forms["http"] = fmt.Sprintf("API Error (HTTP %d) %s", w.status, w.text)
			}
			said := map[string]any{"type": "error", "message": w.text}
			if w.status != 0 {
				said["code"] = w.status
			}
			body := map[string]any{"error": said, "request_id": "req_1"}
			raw, err := json.Marshal(body)
			if err != nil {
				t.Fatal(err)
			}
			packed, err := json.Marshal(map[string]any{"error": map[string]any{"message": string(raw)}})
			if err != nil {
				t.Fatal(err)
			}
			forms["json"], forms["json list"] = string(raw), "["+string(raw)+"]"
			forms["json behind words"] = "the provider answered: " + string(raw) + "\n"
			forms["json in json"] = string(packed)
			for form, text := range forms {
				if got := classify(0, text); got != want {
					t.Errorf("%s: %q, not %q: %s", form, got, want, text)
				}
			}
			if got := classify(w.status, w.text); got != want {
				t.Errorf("with status %d: %q, not %q: %s", w.status, got, want, w.text)
			}
		}
	}
	for status, want := range map[int]string{
		400: "", 401: Unusable, 402: Unusable, 403: Unusable, 404: Unusable, 407: Unusable, 408: Transient, 409: Transient, 413: ContextOverflow,
		418: "", 422: "", 425: Transient, 429: Transient, 500: Transient, 502: Transient, 503: Transient, 504: Transient, 520: Transient, 529: Transient,
	} {
		for _, text := range []string{fmt.Sprint(status), fmt.Sprintf("status code: %d", status), fmt.Sprintf(`{"status": %d}`, status), fmt.Sprintf(`{"error":{"code":%d}}`, status)} {
			if got := classify(0, text); got != want {
				t.Errorf("%s: %q, not %q", text, got, want)
			}
		}
	}
}

// A text of many open brackets costs no more than it has to.
func TestSignsOfBrackets(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine works, slowly under the race detector")
	}
	if got := classify(0, strings.Repeat(`{"a":[`, 20_000)); got != "" {
		t.Errorf("%q", got)
	}
}
