package cmd

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// client is an agent with a home, a repository, and a provider of its own.
type client struct {
	name, scenario string
	home, repo     string
	model          string
	env            []string
	agent          object        // its part of autobuild.yaml
	begins         time.Duration // the time to its first request, which a deadline must allow
}

// timeout is an attempt's deadline. It ends the run where the model hangs, and agents that only ask
// again. Those that have worked before have the time to give up by themselves.
func (c *client) timeout() time.Duration {
	switch c.scenario {
	case "hangs":
		return c.begins
	case "drops", "overloaded-midway":
		return clisLongest
	}
	return clisLongest / 2
}

// program is what the agent's command is called.
func program(cli string) string {
	if cli == "claude-agent-acp" || cli == "codex-acp" {
		return cli
	}
	return strings.TrimSuffix(cli, "-acp")
}

// journals reports whether the agent keeps a log of its own that autobuild reads.
func (c *client) journals() bool {
	return strings.HasPrefix(c.name, "qwen") || strings.HasPrefix(c.name, "opencode")
}

// newClient prepares a run of one agent: nothing of the machine's own configuration, keys that are
// none, and the one provider that there is.
func newClient(t *testing.T, want concluded, bin, url string) *client {
	t.Helper()
	dir := t.TempDir()
	c := &client{name: want.cli, scenario: want.scenario, home: filepath.Join(dir, "home"), repo: filepath.Join(dir, "repo"), model: "fake-model", agent: object{}, begins: 12 * time.Second}
	c.env = []string{
		"PATH=" + bin + string(os.PathListSeparator) + os.Getenv("PATH"), "HOME=" + c.home, "TMPDIR=" + dir, "LANG=C.UTF-8", "TERM=dumb", "COLUMNS=80",
		"GIT_CONFIG_NOSYSTEM=1", "NO_PROXY=127.0.0.1,localhost", "no_proxy=127.0.0.1,localhost",
	}
	c.write(t, filepath.Join(c.home, ".gitconfig"), "[user]\n\tname = Test\n\temail = test@example.com\n")
	setups[c.name](t, c, url)
	plan, err := os.ReadFile(filepath.Join(clisDir, "plan.md"))
	if err != nil {
		t.Fatal(err)
	}
	c.write(t, filepath.Join(c.repo, "plan.md"), string(plan))
	c.write(t, filepath.Join(c.repo, "base.txt"), "here from the start\n")
	c.writeJSON(t, filepath.Join(c.repo, "autobuild.yaml"), object{ // JSON is YAML
		"gates":  object{"test": "test -f base.txt"},
		"agents": object{c.name: c.agent},
	})
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "-A"}, {"commit", "-q", "-m", "start"}} {
		git := exec.Command("git", args...)
		git.Dir, git.Env = c.repo, c.env
		if out, err := git.CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v\n%s", args, err, out)
		}
	}
	return c
}

func (c *client) write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (c *client) writeJSON(t *testing.T, path string, v any) {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	c.write(t, path, string(raw)+"\n")
}

// object is a JSON object.
type object = map[string]any

// setups point each agent at the provider, and lower its number of retries where it has a setting
// for that.
var setups = map[string]func(t *testing.T, c *client, url string){
	"claude": setupClaude,
	"codex":  setupCodex,
	"gemini": setupGemini,
	// The same by the Agent Client Protocol, which has one reader for all that speak it.
	"gemini-acp": func(t *testing.T, c *client, url string) {
		t.Helper()
		setupGemini(t, c, url)
		c.agent = object{
			"command": []string{"gemini", "--acp", "--skip-trust", "-m", c.model}, "protocol": "acp", "mode": "autoEdit", "auth": "gemini-api-key",
		}
		c.model = ""
	},
	"copilot-acp": func(t *testing.T, c *client, url string) {
		t.Helper()
		setupCopilot(t, c, url)
		c.agent = object{"command": []string{"copilot", "--acp"}, "protocol": "acp"}
		c.model = ""
	},
	// Claude Code and Codex by programs of the protocol's own, which bring an agent with them.
	"claude-agent-acp": func(t *testing.T, c *client, url string) {
		t.Helper()
		setupClaude(t, c, url)
		c.env = append(c.env, "ANTHROPIC_MODEL="+c.model)
		c.agent = object{"command": []string{"claude-agent-acp"}, "protocol": "acp", "mode": "acceptEdits"}
		c.model = ""
	},
	"codex-acp": func(t *testing.T, c *client, url string) {
		t.Helper()
		setupCodex(t, c, url)
		c.agent = object{"command": []string{"codex-acp"}, "protocol": "acp"}
		c.model = ""
	},
	"opencode-acp": func(t *testing.T, c *client, url string) {
		t.Helper()
		setupOpencode(t, c, url)
		c.agent = object{"command": []string{"opencode", "acp"}, "protocol": "acp"}
	},
	"qwen-acp": func(t *testing.T, c *client, url string) {
		t.Helper()
		setupQwen(t, c, url)
		c.agent = object{"command": []string{"qwen", "--acp", "--auth-type", "openai"}, "protocol": "acp"}
		c.model = ""
	},
	"opencode": setupOpencode,
	"qwen":     setupQwen,
	"copilot":  setupCopilot,
	"pi":       setupPi,
	"kimi":     setupKimi,
}

func setupClaude(_ *testing.T, c *client, url string) {
	c.model, c.begins = "claude-sonnet-4-5", 6*time.Second
	key := "ANTHROPIC_API_KEY"
	if c.scenario == "limit" {
		key = "CLAUDE_CODE_OAUTH_TOKEN" // only subscriptions have limits that are reset
	}
	c.env = append(c.env, "ANTHROPIC_BASE_URL="+url, key+"=sk-fake", "CLAUDE_CODE_MAX_RETRIES=1",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1")
}

func setupCodex(t *testing.T, c *client, url string) {
	t.Helper()
	c.model, c.begins = "gpt-5.4", 6*time.Second
	c.env = append(c.env, "FAKE_KEY=sk-fake", "CODEX_HOME="+filepath.Join(c.home, ".codex"))
	c.write(t, filepath.Join(c.home, ".codex", "config.toml"), strings.Join([]string{
		`model_provider = "fake"`, `model = "` + c.model + `"`, `[analytics]`, `enabled = false`,
		`[model_providers.fake]`, `name = "fake"`, `base_url = "` + url + `/v1"`, `env_key = "FAKE_KEY"`, `wire_api = "responses"`,
		`request_max_retries = 1`, `stream_max_retries = 1`, "",
	}, "\n"))
}

func setupGemini(t *testing.T, c *client, url string) {
	t.Helper()
	c.model = "gemini-2.5-pro"
	c.env = append(c.env, "GEMINI_API_KEY=sk-fake", "GOOGLE_GEMINI_BASE_URL="+url, "GEMINI_TELEMETRY_ENABLED=false")
	c.writeJSON(t, filepath.Join(c.home, ".gemini", "settings.json"), object{
		"security": object{"auth": object{"selectedType": "gemini-api-key"}},
		"privacy":  object{"usageStatisticsEnabled": false}, "telemetry": object{"enabled": false},
		"general": object{"enableAutoUpdate": false, "enableAutoUpdateNotification": false, "maxAttempts": 2},
	})
}

func setupOpencode(_ *testing.T, c *client, url string) {
	c.model = "fake/fake-model"
	raw, _ := json.Marshal(object{
		"autoupdate": false, "share": "disabled", "enabled_providers": []string{"fake"}, "small_model": "fake/fake-model",
		"permission": object{"edit": "allow", "bash": "allow", "webfetch": "allow", "external_directory": "deny"},
		"provider": object{"fake": object{
			"npm": "@ai-sdk/openai-compatible", "name": "fake", "options": object{"baseURL": url + "/v1", "apiKey": "sk-fake"},
			"models": object{"fake-model": object{
				"name": "Fake", "tool_call": true, "limit": object{"context": 200000, "output": 8000}, "cost": object{"input": 3, "output": 15},
			}},
		}},
	})
	c.env = append(c.env, "OPENCODE_CONFIG_CONTENT="+string(raw), "OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_DEFAULT_PLUGINS=1")
}

func setupQwen(t *testing.T, c *client, url string) {
	t.Helper()
	c.agent = object{"args": []string{"--auth-type", "openai"}}
	c.env = append(c.env, "OPENAI_API_KEY=sk-fake", "OPENAI_BASE_URL="+url+"/v1", "OPENAI_MODEL=fake-model")
	c.writeJSON(t, filepath.Join(c.home, ".qwen", "settings.json"), object{
		"security": object{"auth": object{"selectedType": "openai"}},
		"privacy":  object{"usageStatisticsEnabled": false}, "telemetry": object{"enabled": false},
		"general": object{"enableAutoUpdate": false, "disableAutoUpdate": true},
	})
}

func setupCopilot(_ *testing.T, c *client, url string) {
	c.agent = object{"args": []string{"--disable-builtin-mcps", "--disable-client-telemetry", "--log-level", "none"}}
	c.env = append(c.env, "COPILOT_OFFLINE=true", "COPILOT_PROVIDER_BASE_URL="+url+"/v1", "COPILOT_PROVIDER_API_KEY=sk-fake", "COPILOT_MODEL=fake-model")
}

func setupKimi(t *testing.T, c *client, url string) {
	t.Helper()
	c.model = "fake"
	c.write(t, filepath.Join(c.home, ".kimi-code", "config.toml"), strings.Join([]string{
		`default_model = "fake"`, `telemetry = false`,
		`[providers.fake]`, `type = "openai"`, `base_url = "` + url + `/v1"`, `api_key = "sk-fake"`,
		`[models.fake]`, `provider = "fake"`, `model = "fake-model"`, `max_context_size = 200000`, `capabilities = ["tool_use"]`,
		`[loop_control]`, `max_attempts_per_step = 2`, "",
	}, "\n"))
}

func setupPi(t *testing.T, c *client, url string) {
	t.Helper()
	c.agent = object{"args": []string{"--provider", "fake", "--offline"}}
	c.env = append(c.env, "PI_OFFLINE=1")
	c.writeJSON(t, filepath.Join(c.home, ".pi", "agent", "models.json"), object{"providers": object{"fake": object{
		"baseUrl": url + "/v1", "api": "openai-completions", "apiKey": "sk-fake",
		"models": []any{object{
			"id": "fake-model", "name": "Fake", "reasoning": false, "input": []string{"text"}, "contextWindow": 200000, "maxTokens": 8000,
			"cost": object{"input": 3, "output": 15, "cacheRead": 0, "cacheWrite": 0},
		}},
	}}})
	c.writeJSON(t, filepath.Join(c.home, ".pi", "agent", "settings.json"), object{"retry": object{"maxRetries": 1, "baseDelayMs": 200}})
}
