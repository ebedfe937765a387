package agent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"autobuild/internal/proc"
)

// closing is how a provider, or the way to it, ends a request: the HTTP status (0: none), what
// comes with it, and after which time from noon on the provider may be asked again (0: unsaid).
type closing struct {
	kind   string
	status int
	body   string
	after  time.Duration
}

const page = "<html>\r\n<head><title>%s</title></head>\r\n<body>\r\n<center><h1>%[1]s</h1></center>\r\n" +
	"<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n"

var closings = []closing{
	// Anthropic
	{Transient, 429, `{"type":"error","error":{"type":"rate_limit_error","message":"Number of request tokens has exceeded your per-minute rate limit (https://docs.claude.com/en/api/rate-limits); see the response headers for current usage."}}`, 0},
	{Transient, 529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"req_011"}`, 0},
	{Transient, 500, `{"type":"error","error":{"type":"api_error","message":"Internal server error"}}`, 0},
	{Transient, 504, `{"type":"error","error":{"type":"timeout_error","message":"Request took too long"}}`, 0},
	{Unusable, 403, `{"type":"error","error":{"type":"permission_error","message":"Your API key does not have permission to use the specified resource."}}`, 0},
	{Unusable, 403, `{"type":"error","error":{"type":"permission_error","message":"OAuth authentication is currently not allowed for this organization."}}`, 0},
	{Unusable, 400, `{"type":"error","error":{"type":"invalid_request_error","message":"This organization has been disabled."}}`, 0},
	{Unusable, 402, `{"type":"error","error":{"type":"billing_error","message":"Please update your payment method"}}`, 0},
	{Unusable, 429, `{"type":"error","error":{"type":"rate_limit_error","message":"Extra usage is required for long context requests."}}`, 0},
	{ContextOverflow, 400, `{"type":"error","error":{"type":"invalid_request_error","message":"messages.0.content.3.image.source.base64.data: At least one of the image dimensions exceed max allowed size: 8000 pixels"}}`, 0},
	{ContextOverflow, 400, `{"type":"error","error":{"type":"invalid_request_error","message":"A maximum of 100 PDF pages may be provided."}}`, 0},
	{Refusal, 400, `{"type":"error","error":{"type":"invalid_request_error","message":"Output blocked by content filtering policy"}}`, 0},
	// OpenAI
	{Transient, 429, `{"error":{"message":"Rate limit reached for gpt-5.4 in organization org-x on requests per min (RPM): Limit 3, Used 3, Requested 1. Please try again in 20s. Visit https://platform.openai.com/account/rate-limits to learn more.","type":"requests","param":null,"code":"rate_limit_exceeded"}}`, 20 * time.Second},
	{Unusable, 429, `{"error":{"message":"Billing hard limit has been reached","type":"invalid_request_error","code":"billing_hard_limit_reached"}}`, 0},
	{Unusable, 401, `{"error":{"message":"You must be a member of an organization to use the API.","type":"invalid_request_error"}}`, 0},
	{Unusable, 400, `{"error":{"message":"Your organization must be verified to use the model o9. Please go to settings and click on Verify Organization.","type":"invalid_request_error","code":"model_not_found"}}`, 0},
	{Unusable, 403, `{"error":{"message":"Project proj_x does not have access to model gpt-9","type":"invalid_request_error","code":"model_not_found"}}`, 0},
	{ContextOverflow, 400, `{"error":{"message":"Invalid 'input[3].content': string too long. Expected a string with maximum length 10485760, but got a string with length 12582912 instead.","type":"invalid_request_error","code":"string_above_max_length"}}`, 0},
	{Transient, 500, `{"error":{"message":"The server had an error while processing your request. Sorry about that!","type":"server_error"}}`, 0},
	{Transient, 503, `{"error":{"message":"That model is currently overloaded with other requests.","type":"server_error"}}`, 0},
	{UsageLimit, 429, `{"error":{"type":"usage_limit_reached","message":"The usage limit has been reached","plan_type":"plus","resets_at":1795266000,"resets_in_seconds":3600}}`, time.Hour},
	// Google
	{Transient, 429, `{"error":{"code":429,"message":"Resource has been exhausted (e.g. check quota).","status":"RESOURCE_EXHAUSTED"}}`, 0},
	{Transient, 429, `{"error":{"code":429,"message":"You exceeded your current quota, please check your plan and billing details.","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"quotaId":"GenerateRequestsPerMinutePerProjectPerModel-FreeTier"}]},{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34s"}]}}`, 34 * time.Second},
	{UsageLimit, 429, `{"error":{"code":429,"message":"You exceeded your current quota, please check your plan and billing details.","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"quotaId":"GenerateRequestsPerDayPerProjectPerModel-FreeTier"}]}]}}`, 20 * time.Hour},
	{Unusable, 403, `{"error":{"code":403,"message":"Generative Language API has not been used in project 123 before or it is disabled. Enable it by visiting https://console.developers.google.com/apis then retry.","status":"PERMISSION_DENIED","details":[{"reason":"SERVICE_DISABLED"}]}}`, 0},
	{Unusable, 400, `{"error":{"code":400,"message":"API key expired. Please renew the API key.","status":"INVALID_ARGUMENT"}}`, 0},
	{Refusal, 0, `{"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"}}`, 0},
	{Transient, 499, `{"error":{"code":499,"message":"The operation was cancelled.","status":"CANCELLED"}}`, 0},
	{Transient, 503, `{"error":{"code":503,"message":"The service is currently unavailable.","status":"UNAVAILABLE"}}`, 0},
	// Vertex
	{Unusable, 401, `{"error":{"code":401,"message":"Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential.","status":"UNAUTHENTICATED","details":[{"reason":"ACCESS_TOKEN_EXPIRED"}]}}`, 0},
	{Unusable, 403, `{"error":{"code":403,"message":"Permission 'aiplatform.endpoints.predict' denied on resource '//aiplatform.googleapis.com/projects/p/locations/l/publishers/anthropic/models/m' (or it may not exist).","status":"PERMISSION_DENIED"}}`, 0},
	{Transient, 429, `{"error":{"code":429,"message":"Quota exceeded for aiplatform.googleapis.com/online_prediction_requests_per_base_model with base model: anthropic-claude. Please submit a quota increase request.","status":"RESOURCE_EXHAUSTED"}}`, 0},
	{Unusable, 0, "google.auth.exceptions.RefreshError: Reauthentication is needed. Please run `gcloud auth application-default login` to reauthenticate.", 0},
	{Unusable, 0, "Could not load the default credentials. Browse to https://cloud.google.com/docs/authentication for more information.", 0},
	// Bedrock
	{UsageLimit, 429, `{"__type":"ThrottlingException","message":"Too many tokens per day, please wait before trying again."}`, 0},
	{Unusable, 403, `{"__type":"AccessDeniedException","message":"You don't have access to the model with the specified model ID."}`, 0},
	{Transient, 424, `{"__type":"ModelErrorException","message":"The model returned the following errors: the system encountered an unexpected error during processing. Try your request again."}`, 0},
	{Transient, 429, `{"__type":"ModelNotReadyException","message":"Model is not ready for inference. Wait and try your request again."}`, 0},
	{Transient, 408, `{"__type":"ModelTimeoutException","message":"Model processing took too long."}`, 0},
	{Transient, 0, "ServiceUnavailableException: Bedrock is unable to process your request.", 0},
	{Unusable, 0, "CredentialsProviderError: The SSO session associated with this profile has expired. To refresh this SSO session run aws sso login with the corresponding profile.", 0},
	{Unusable, 0, "Error loading SSO Token: Token for my-sso does not exist", 0},
	{Unusable, 403, `{"message":"Model access is denied due to INVALID_PAYMENT_INSTRUMENT:A valid payment instrument must be provided."}`, 0},
	{Unusable, 404, `{"message":"Model use case details have not been submitted for this account. Fill out the Anthropic use case details form before using the model."}`, 0},
	// Azure
	{Unusable, 404, `{"error":{"code":"DeploymentNotFound","message":"The API deployment for this resource does not exist. If you created the deployment within the last 5 minutes, please wait a moment and try again."}}`, 0},
	{Unusable, 401, `{"error":{"code":"401","message":"Access denied due to invalid subscription key or wrong API endpoint. Make sure to provide a valid key for an active subscription."}}`, 0},
	{Unusable, 403, `{"error":{"code":"AccessDenied","message":"Access denied due to Virtual Network/Firewall rules."}}`, 0},
	{Transient, 429, `{"error":{"code":"429","message":"Requests to the ChatCompletions_Create Operation under Azure OpenAI API version 2025-01-01 have exceeded token rate limit of your current OpenAI S0 pricing tier. Please retry after 26 seconds. Please go here: https://aka.ms/oai/quotaincrease if you would like to further increase the default rate limit."}}`, 26 * time.Second},
	{Refusal, 400, `{"error":{"message":"The response was filtered","code":"content_filter","status":400,"innererror":{"code":"ResponsibleAIPolicyViolation"}}}`, 0},
	// OpenRouter
	{Unusable, 402, `{"error":{"message":"Insufficient credits. Add more using https://openrouter.ai/settings/credits","code":402}}`, 0},
	{UsageLimit, 429, `{"error":{"message":"Rate limit exceeded: free-models-per-day. Add 10 credits to unlock 1000 free model requests per day","code":429,"metadata":{"headers":{"X-RateLimit-Limit":"50","X-RateLimit-Remaining":"0","X-RateLimit-Reset":"1795305600000"}}}}`, 12 * time.Hour},
	{Transient, 429, `{"error":{"message":"Rate limit exceeded: free-models-per-min. ","code":429}}`, 0},
	{Transient, 502, `{"error":{"message":"Provider returned error","code":502,"metadata":{"raw":"error","provider_name":"Some"}}}`, 0},
	{Unusable, 404, `{"error":{"message":"No allowed providers are available for the selected model.","code":404}}`, 0},
	{Unusable, 403, `{"error":{"message":"Key limit exceeded (total limit). Manage it using https://openrouter.ai/settings/keys","code":403}}`, 0},
	{Unusable, 404, `{"error":{"message":"No endpoints found matching your data policy (Free model training).","code":404}}`, 0},
	// Moonshot
	{Transient, 429, `{"error":{"message":"Your account org-x <ak-x> request reached organization max concurrency: 1, please try again after 1 seconds","type":"rate_limit_reached_error"}}`, time.Second},
	{UsageLimit, 429, `{"error":{"message":"Your account org-x request reached organization TPD rate limit, current: 1500001, limit: 1500000","type":"rate_limit_reached_error"}}`, 0},
	{Unusable, 401, `{"error":{"message":"Invalid Authentication","type":"invalid_authentication_error"}}`, 0},
	{UsageLimit, 403, `{"error":{"message":"You've reached your usage limit for this billing cycle. Your quota will be refreshed in the next cycle.","type":"access_terminated_error"}}`, 0},
	// z.ai, DashScope, xAI, Mistral, GitHub Models, LiteLLM
	{Transient, 429, `{"error":{"code":"1302","message":"High concurrency usage of this API, please reduce concurrency or contact customer service to increase limits"}}`, 0},
	{Unusable, 429, `{"error":{"code":"1113","message":"Insufficient balance or no resource package. Please recharge."}}`, 0},
	{Unusable, 429, `{"error":{"code":"1113","message":"Your account is in arrears. Please recharge and try again."}}`, 0},
	{UsageLimit, 429, `{"error":{"code":"1310","message":"Weekly/Monthly Limit Exhausted. Your limit will reset at 2026-12-01 00:00:00"}}`, 9*24*time.Hour + 12*time.Hour},
	{Refusal, 400, `{"error":{"code":"1301","message":"System detected potentially unsafe or sensitive content in input or generation."}}`, 0},
	{Unusable, 400, `{"error":{"code":"1211","message":"Unknown Model, please check the model code."}}`, 0},
	{Unusable, 429, `{"error":{"code":"1311","message":"The current subscription plan does not yet include access to GLM-9"}}`, 0},
	{Unusable, 403, `{"error":{"code":"AllocationQuota.FreeTierOnly","message":"The free tier of the model has been exhausted. If you wish to continue access the model on a paid basis, please disable the use free tier only mode in the management console."}}`, 0},
	{Transient, 429, `{"error":{"code":"Throttling.AllocationQuota","message":"Allocated quota exceeded, please increase your quota limit."}}`, 0},
	{Unusable, 403, `{"error":"Your newly created team doesn't have any credits yet. You can purchase credits on https://console.x.ai"}`, 0},
	{Unusable, 429, `{"error":"Your team has either used all available credits or reached its monthly spending limit."}`, 0},
	{Transient, 429, `{"object":"error","message":"Service tier capacity exceeded for this model.","type":"service_tier_capacity_exceeded","code":"3505"}`, 0},
	{Transient, 429, `{"message":"Requests rate limit exceeded"}`, 0},
	{Transient, 498, `{"error":{"message":"Flex tier capacity exceeded","type":"capacity_exceeded"}}`, 0},
	{UsageLimit, 429, `{"error":{"code":"RateLimitReached","message":"Rate limit of 150 per 86400s exceeded for UserByModelByDay. Please wait 4000 seconds before retrying."}}`, 4000 * time.Second},
	{Unusable, 400, `{"error":{"message":"Budget has been exceeded! Current cost: 10.1, Max budget: 10.0","type":"budget_exceeded","code":"400"}}`, 0},
	{Transient, 429, `{"error":{"message":"No deployments available for selected model, Try again in 60 seconds. Passed model=gpt","code":"429"}}`, time.Minute},
	{Transient, 500, `{"error":{"message":"llama runner process has terminated: signal: killed"}}`, 0},
	// proxies
	{Transient, 502, fmt.Sprintf(page, "502 Bad Gateway"), 0},
	{Transient, 504, fmt.Sprintf(page, "504 Gateway Time-out"), 0},
	{Transient, 522, "<!DOCTYPE html>\n<html><head><title>api.example.com | 522: Connection timed out</title></head><body><div>Cloudflare Ray ID: 8f</div></body></html>", 0},
	{Transient, 429, "<!DOCTYPE html><html><head><title>Access denied | api.example.com used Cloudflare to restrict access</title></head><body>Error 1015: You are being rate limited</body></html>", 0},
	{Unusable, 403, "<!DOCTYPE html><html><head><title>Attention Required! | Cloudflare</title></head><body><h1>Sorry, you have been blocked</h1><h2>You are unable to access api.example.com</h2></body></html>", 0},
	{ContextOverflow, 413, fmt.Sprintf(page, "413 Request Entity Too Large"), 0},
	{Unusable, 407, "Proxy Authentication Required", 0},
	// the network, as Node, Bun, Go, Rust, Python and curl word it
	{Transient, 0, "TypeError: fetch failed\n    at node:internal/deps/undici/undici:13510:13\n  [cause]: ConnectTimeoutError: Connect Timeout Error (attempted address: api.example.com:443, timeout: 10000ms)", 0},
	{Transient, 0, "Error: Client network socket disconnected before secure TLS connection was established", 0},
	{Transient, 0, "AbortError: This operation was aborted", 0},
	{Transient, 0, "Error: Parse Error: Expected HTTP/, RTSP/ or ICE/", 0},
	{Unusable, 0, "Error: unable to get local issuer certificate (UNABLE_TO_GET_ISSUER_CERT_LOCALLY)", 0},
	{Unusable, 0, "ERR_TLS_CERT_ALTNAME_INVALID: Hostname/IP does not match certificate's altnames", 0},
	{Transient, 0, "Unable to connect. Is the computer able to access the url?", 0},
	{Transient, 0, "The socket connection was closed unexpectedly. For more information, pass verbose: true in the second argument to fetch()", 0},
	{Transient, 0, `Post "https://api.example.com/v1": dial tcp 10.0.0.1:443: i/o timeout`, 0},
	{Transient, 0, `Post "https://api.example.com/v1": dial tcp: connect: no route to host`, 0},
	{Transient, 0, "http2: client connection lost", 0},
	{Transient, 0, "read tcp 10.0.0.1:5->10.0.0.2:443: use of closed network connection", 0},
	{Unusable, 0, `Get "https://api.example.com": tls: failed to verify certificate: x509: certificate signed by unknown authority`, 0},
	{Transient, 0, "error decoding response body: connection closed before message completed", 0},
	{Unusable, 0, "error sending request: client error (Connect): invalid peer certificate: UnknownIssuer", 0},
	{Transient, 0, "httpx.RemoteProtocolError: Server disconnected without sending a response.", 0},
	{Transient, 0, "requests.exceptions.ConnectionError: ('Connection aborted.', RemoteDisconnected('Remote end closed connection without response'))", 0},
	{Transient, 0, "urllib3.exceptions.MaxRetryError: HTTPSConnectionPool(host='api.example.com', port=443): Max retries exceeded with url: /v1", 0},
	{Transient, 0, "ssl.SSLEOFError: EOF occurred in violation of protocol (_ssl.c:1007)", 0},
	{Transient, 0, "curl: (56) Recv failure: Connection reset by peer", 0},
	{Transient, 0, "curl: (52) Empty reply from server", 0},
	{Unusable, 0, "curl: (60) SSL certificate problem: unable to get local issuer certificate", 0},
	// logins, seats, regions
	{Unusable, 0, "OAuth session expired and could not be refreshed", 0},
	{Unusable, 0, "Please set an Auth method in your /home/me/.agent/settings.json", 0},
	{Unusable, 0, "No access to GitHub Copilot found. You are currently logged in as someone.", 0},
	{Unusable, 0, "You must accept the terms of service before using this model", 0},
	{Unusable, 0, "Your IP address is not on the allow list of this organization", 0},
	{Unusable, 0, "App unavailable: Claude is only available in certain regions right now", 0},
	{Unusable, 0, "error: unknown command 'exec'", 0},
	{Unusable, 0, "This program requires Node.js v22.19 or newer; you are running v20.1.0", 0},
	// limits, and when they end
	{UsageLimit, 0, "You've hit your session limit · resets 9pm (Europe/Berlin)", 8 * time.Hour},
	{UsageLimit, 0, "You've hit your weekly limit · resets Nov 25, 9am (America/New_York)", 4*24*time.Hour + 2*time.Hour},
	{UsageLimit, 0, "Usage limit reached. Try again in 3 days 4 hours.", 3*24*time.Hour + 4*time.Hour},
	{UsageLimit, 0, "Usage limit reached; it resets at 2026-11-21T18:30:00+02:00", 4*time.Hour + 30*time.Minute},
	{UsageLimit, 0, "Monthly limit reached, resets at 2026-12-01T00:00:00.000Z", 9*24*time.Hour + 12*time.Hour},
	{UsageLimit, 0, "Daily limit reached. Resets at 18:30 UTC.", 6*time.Hour + 30*time.Minute},
	{UsageLimit, 0, "You've hit your limit. Resets at 7 PM PST", 15 * time.Hour},
	{UsageLimit, 0, "Daily quota exhausted; it resets at midnight Pacific time.", 20 * time.Hour},
	{UsageLimit, 0, "Usage limit reached. Reset in: 45 minutes", 45 * time.Minute},
	{UsageLimit, 0, "Usage limit reached (retry after 7200 seconds)", 2 * time.Hour},
	{UsageLimit, 0, "usage limit reached, Retry-After: 3600", time.Hour},
	{UsageLimit, 0, "Usage limit reached, available again tomorrow at 9:00 AM", 21 * time.Hour},
	{UsageLimit, 0, "Plan limit reached; resets on 1 December 2026", 9*24*time.Hour + 12*time.Hour},
	{UsageLimit, 429, `{"error":{"message":"Usage limit reached","resetsAt":"2026-11-21T18:30:00Z"}}`, 6*time.Hour + 30*time.Minute},
	{UsageLimit, 429, `{"error":{"message":"Usage limit reached","reset_after_seconds":5400}}`, 90 * time.Minute},
	// worded in further ways
	{Transient, 0, "Error: 503 upstream connect error or disconnect/reset before headers. reset reason: connection termination", 0},
	{Transient, 0, "stream error: stream ID 5; INTERNAL_ERROR; received from peer", 0},
	{Transient, 0, "Error: getaddrinfo EAI_FAIL api.example.com", 0},
	{Transient, 0, "dial tcp: lookup api.example.com: Temporary failure in name resolution", 0},
	{Transient, 0, "Error: socket hang up\n    at connResetException (node:internal/errors:720:14)", 0},
	{Transient, 0, "aiohttp.client_exceptions.ClientConnectorError: Cannot connect to host api.example.com:443 ssl:default [Name or service not known]", 0},
	{Transient, 0, "org.apache.http.NoHttpResponseException: api.example.com:443 failed to respond", 0},
	{Transient, 0, "The remote host closed the connection", 0},
	{Transient, 0, "Model provider is experiencing issues, please retry shortly", 0},
	{Transient, 0, "We are having trouble reaching the model right now", 0},
	{Transient, 429, `{"detail":"Request was throttled. Expected available in 12 seconds."}`, 12 * time.Second},
	{Transient, 429, `{"error":{"message":"Too many concurrent requests for this account"}}`, 0},
	{Transient, 429, `{"error":{"type":"tokens","code":"rate_limit_exceeded","message":"Rate limit reached for gpt in organization o on tokens per min (TPM): Limit 30000, Used 29000, Requested 4000. Please try again in 6ms."}}`, 6 * time.Millisecond},
	{Transient, 503, `{"error":{"message":"no healthy upstream"}}`, 0},
	{Transient, 0, "The model returned an empty response", 0},
	{UsageLimit, 0, "5-hour limit reached ∙ resets 11pm · /upgrade to increase", 11 * time.Hour},
	{UsageLimit, 0, "You've used all your premium requests for this month. Your allowance renews on 2026-12-01.", 9*24*time.Hour + 12*time.Hour},
	{UsageLimit, 0, "Fast request quota exceeded for today, it is renewed tomorrow", 12 * time.Hour},
	{UsageLimit, 0, "You have reached the limit of messages for your plan. Come back in 2h 5m.", 2*time.Hour + 5*time.Minute},
	{UsageLimit, 429, `{"error":{"message":"Weekly token allowance used up","reset_at":"2026-11-23T00:00:00+00:00"}}`, 36 * time.Hour},
	{UsageLimit, 0, "Limit reached · resets in 3h", 3 * time.Hour},
	{UsageLimit, 0, "usage limit exceeded, next window opens 22/11 07:00", 0},
	{UsageLimit, 0, "Rate limit: 200 requests per week", 0},
	{Unusable, 0, "Error: No API key found for anthropic.", 0},
	{Unusable, 0, "error: API Key is missing. Run `agent auth login`", 0},
	{Unusable, 0, "Your trial has ended. Upgrade to continue.", 0},
	{Unusable, 0, "Your seat was removed from this organization", 0},
	{Unusable, 0, "This account has been banned", 0},
	{Unusable, 0, "Your free credits have run out", 0},
	{Unusable, 0, "You need to enable billing on this project", 0},
	{Unusable, 403, `{"error":{"message":"This model requires an active subscription"}}`, 0},
	{Unusable, 0, "Model \"opus-9\" is not a known model. Available models: a, b", 0},
	{Unusable, 0, "The requested model was retired on 2026-10-01", 0},
	{Unusable, 0, "could not find model 'x' in provider 'y'", 0},
	{Unusable, 0, "Failed to refresh token: 401", 0},
	{Unusable, 0, "error: unexpected argument '--json-stream' found", 0},
	{Unusable, 451, `{"error":{"message":"Unavailable For Legal Reasons"}}`, 0},
	{Refusal, 0, "I can't continue with this task because it may facilitate malware.", 0},
	{Refusal, 0, "The output was blocked for safety", 0},
	{Refusal, 400, `{"error":{"code":"moderation_blocked","message":"Your request was rejected by the moderation system"}}`, 0},
	{ContextOverflow, 0, "This conversation exceeds the context window. Start a new one.", 0},
	{ContextOverflow, 400, `{"error":{"message":"Requested token count exceeds the model's maximum context length of 262144 tokens."}}`, 0},
	{ContextOverflow, 400, `{"error":{"message":"Too many images in request: 120 > 100"}}`, 0},
	{ContextOverflow, 400, `{"message":"Total request size is over the limit of 20 MB"}`, 0},
	{Unusable, 0, "Your account has been put on hold pending review of recent activity.", 0},
	{Unusable, 400, `{"error":{"type":"invalid_request_error","message":"thinking.budget_tokens: Input should be greater than or equal to 1024"}}`, 0},
	{Unusable, 422, `{"message":{"detail":[{"type":"extra_forbidden","loc":["body","reasoning_effort"],"msg":"Extra inputs are not permitted"}]}}`, 0},
	{Unusable, 400, `{"code":"Client specified an invalid argument","error":"Argument not supported on this model: stop"}`, 0},
	{Unusable, 0, "Error: Your workspace admin has turned off this agent", 0},
	{Unusable, 0, "your balance is $0.00. Add funds in your settings", 0},
	{UsageLimit, 0, "You've hit your allowance for this week. It refills Monday at 08:00 UTC.", 44 * time.Hour},
	{UsageLimit, 0, "Out of free credits for today. Your daily grant replenishes hourly; next grant in 35 minutes.", 35 * time.Minute},
	{UsageLimit, 429, `{"error":{"message":"You have sent too many messages to the model. Come back in about 4 hours.","type":"tokens"}}`, 4 * time.Hour},
	{Transient, 0, `{"details":"An internal error has occurred. Please retry or report it"}`, 0},
	{Transient, 0, "ModelNotReadyException: The model specified in the request is not ready to serve inference requests.", 0},
	{Transient, 0, "ModelErrorException: The request failed due to an error while processing the model.", 0},
	{Transient, 0, "The server is under heavy load, so the request was dropped from the queue", 0},
	{UsageLimit, 0, "Your plan's monthly agent minutes are used up.", 0},
	{UsageLimit, 429, `{"error":{"message":"Daily free allocation of 10,000 tokens used up. Upgrade to the paid plan","code":4006}}`, 0},
	{Unusable, 0, "Error: device authorization expired. Start the sign-in flow once more.", 0},
	{Unusable, 410, `{"error":{"message":"gpt-x has been shut down. See the deprecations page.","code":"gone"}}`, 0},
	{Unusable, 0, "error: the argument '--format <FMT>' cannot be used with '--quiet'", 0},
	{Refusal, 0, "The response was withheld because it may contain material that violates our terms of service", 0},
	{Transient, 0, "The gateway could not get an answer from the model in 120 seconds", 0},
	{"", 0, "tests failed: expected status 429 but got 200", 0},
	{"", 0, "Error: ENOENT: no such file or directory, open '/repo/certs/readme.txt'", 0},
	{"", 0, "Error: Command failed: git status --porcelain", 0},
	{"", 0, "TypeError: Cannot read properties of undefined (reading 'access')", 0},
	{"", 0, "ReferenceError: server is not defined", 0},
	{"", 0, "Error: Invalid configuration: mcpServers.fs.command is required", 0},
	{"", 0, "assertion failed: left == right", 0},
	{"", 0, "Illegal instruction (core dumped)", 0},
	// crashes and faults of the machine
	{"", 0, "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory", 0},
	{"", 0, "Error: ENOSPC: no space left on device, write", 0},
	{"", 0, "Error: ENOSPC: System limit for number of file watchers reached, watch '/repo'", 0},
	{"", 0, "Error: EMFILE: too many open files, watch", 0},
	{"", 0, "Error: EDQUOT: disk quota exceeded, write", 0},
	{"", 0, "RangeError: Maximum call stack size exceeded", 0},
	{"", 0, "Bus error (core dumped)", 0},
	{"", 0, "thread 'main' panicked at src/main.rs:10:5: index out of bounds", 0},
	{"", 0, "panic: runtime error: invalid memory address or nil pointer dereference", 0},
	{"", 0, "SyntaxError: Unexpected token '?'", 0},
	{"", 0, "SQLITE_BUSY: database is locked", 0},
	{"", 0, "fork: Resource temporarily unavailable", 0},
}

// TestClosings reads each end of a request as every agent passes it on.
func TestClosings(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine works, slowly under the race detector")
	}
	for _, c := range closings {
		for name, out := range c.passedOn(t) {
			want := c.kind
			if want == "" {
				want = Failed
			}
			if name == "stderr" && c.early() {
				want = Unusable
			}
			after := out.Wait
			if !out.Until.IsZero() {
				after = out.Until.Sub(noon)
			}
			if out.Kind != want || after != c.after || out.Final != "" {
				t.Errorf("%s: %q after %s, want %q after %s: %.200s", name, out.Kind, after, want, c.after, c.body)
			}
		}
	}
	t.Logf("%d endings", len(closings))
}

// early reports whether an agent that says so before its first event has not talked to its model:
// nothing was refused, and its own words say what is to be changed.
func (c closing) early() bool {
	return c.status == 0 && !strings.Contains(c.body, "{") && (c.kind == Refusal || c.kind == ContextOverflow ||
		strings.HasPrefix(c.body, "Error: ENOENT") || strings.Contains(c.body, "Invalid configuration"))
}

// passedOn are the outcomes of agents that a provider answers so: each in the form of that agent.
func (c closing) passedOn(t *testing.T) map[string]Outcome {
	t.Helper()
	all := make(map[string]Outcome)
	text, status := c.body, any(nil)
	if c.status != 0 {
		text, status = fmt.Sprintf("%d %s", c.status, c.body), c.status
	}
	low := c.status % 256
	if low == 0 {
		low = 1
	}
	line := func(doc any) string { return string(marshal(t, doc)) + "\n" }
	type object = map[string]any
	for agent, stdout := range map[string]string{
		"claude": line(object{"type": "result", "subtype": "success", "is_error": true, "api_error_status": status, "result": "API Error: " + text}),
		"qwen":   line(object{"type": "result", "subtype": "error_during_execution", "is_error": true, "error": object{"message": "[API Error: " + text + "]"}}),
		"codex": line(object{"type": "error", "message": "Reconnecting... 1/5"}) +
			line(object{"type": "turn.failed", "error": object{"message": "unexpected status " + text + ", url: http://127.0.0.1:1/v1/responses"}}),
		"gemini":   line(object{"type": "init"}) + line(object{"type": "result", "status": "error", "error": object{"type": "Error", "message": "[API Error: " + c.body + "]"}}),
		"opencode": line(object{"type": "error", "error": object{"name": "APIError", "data": object{"message": c.body, "statusCode": status}}}),
		"copilot": line(object{"type": "session.error", "data": object{"errorType": "query", "message": c.body, "statusCode": status}}) +
			line(object{"type": "result", "exitCode": 1}),
		"pi": line(object{"type": "message_end", "message": object{"role": "assistant", "content": []any{}, "stopReason": "error", "errorMessage": text}}) +
			line(object{"type": "agent_end"}),
		"cursor": line(object{"type": "result", "is_error": true, "result": text}),
	} {
		exit := proc.Exit{Code: 1, Ended: proc.Exited}
		switch agent {
		case "gemini":
			exit.Code = low
		case "pi":
			exit.Code = 0
		}
		all[agent] = replay(specNamed(t, agent), stdout, exit, 1<<16)
		all[agent+", cut"] = replay(specNamed(t, agent), stdout+`{"type":"res`, exit, 1<<16)
	}
	all["stderr"] = replay(specNamed(t, "claude"), "", proc.Exit{Code: 1, Ended: proc.Exited, Tail: "Error: " + text + "\n"}, 1<<16)
	said := "Error: " + text + "\n"
	code, done := proc.Exit{Code: 1, Ended: proc.Exited, Tail: said}, proc.Exit{Ended: proc.Exited, Tail: said}
	all["plain, stderr"] = replayPlain("", code)
	if code.Tail = "I looked at the rate limiter.\nAll API keys are in place.\n" + said; c.kind != "" {
		all["plain, stdout"] = replayPlain(said, proc.Exit{Code: 1, Ended: proc.Exited, Tail: said})
		all["plain, after work"] = replayPlain(code.Tail, code)
		all["plain, exit 0"] = replayPlain(said, done)
	}
	return all
}

// replayPlain is the outcome of a command that prints text and takes a result block.
func replayPlain(stdout string, exit proc.Exit) Outcome {
	out := Outcome{Claims: true, ExitCode: exit.Code, Signal: exit.Signal, Final: stdout}
	s := &story{out: &out, exit: exit, final: ending{limit: maxFinal}, now: func() time.Time { return noon }}
	s.final.write([]byte(stdout))
	s.plainly(exit, false, func() bool { return true })
	return out
}

func marshal(t *testing.T, doc any) []byte {
	t.Helper()
	raw, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.TrimSpace(raw)
}
