package proc_test

import (
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"autobuild/internal/proc"
)

func TestEscape(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"plain text\n\tand more": "plain text\n\tand more",
		"日本語 ✅ 👩\u200d💻":         "日本語 ✅ 👩\u200d💻",
		"a\r\nb\rc":              "a\nb\\x0dc",
		"\x1b[31mred\x1b[0m":     `\x1b[31mred\x1b[0m`,
		"\x1b]52;c;aGk=\x07":     `\x1b]52;c;aGk=\x07`,
		"c1 \u009b2J raw \x9b2J": `c1 \xc2\x9b2J raw \x9b2J`,
		"bidi \u202e\u2066x":     `bidi \xe2\x80\xae\xe2\x81\xa6x`,
		"ls\u2028ps\u2029":       `ls\xe2\x80\xa8ps\xe2\x80\xa9`,
		"nul\x00 del\x7f bs\b":   `nul\x00 del\x7f bs\x08`,
		"cut \xe6\x97":           `cut \xe6\x97`,
		"tag\U000e0041":          `tag\xf3\xa0\x81\x81`,
	} {
		if got := proc.Escape(in); got != want {
			t.Errorf("Escape(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestClean(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		in   string
		max  int
		want string
	}{
		{"  two   words\t\n", 80, "two words"},
		{"\x1b[1;31mred\x1b[0m and \x1b]8;;http://x\x1b\\link\x1b]8;;\x07", 80, "red and link"},
		{"\x1b]0;title\nnext", 80, "next"},
		{"\x1bPdevice\x1b\\after \x1b(Bascii \x1b", 80, "after ascii"},
		{"\u009b31mc1 \u009d0;t\u009cend", 80, "c1 end"},
		{"a\u202eb\x00c\x7fd\be", 80, "abcde"},
		{"bad \xff byte", 80, "bad \ufffd byte"},
		{"日本語です", 4, "日本語…"},
		{"日本語", 3, "日本語"},
		{"anything", 1, "…"},
		{"anything", 0, ""},
	} {
		if got := proc.Clean(tt.in, tt.max); got != tt.want {
			t.Errorf("Clean(%q, %d) = %q, want %q", tt.in, tt.max, got, tt.want)
		}
	}
}

func hostile(f *testing.F) {
	f.Helper()
	for _, s := range []string{"", "plain\n", "\x1b[2J\x1b]52;c;x\x07\x9b", "\u202e\u2028\r\r\n\xff\xe6\x97\x1b", "\x1b]\x1bP\x1b[", strings.Repeat("日", 300)} {
		f.Add(s, 10)
	}
}

// The law: the result is valid and harmless, and escaping it again changes nothing.
func FuzzEscape(f *testing.F) {
	hostile(f)
	f.Fuzz(func(t *testing.T, s string, _ int) {
		out := proc.Escape(s)
		if !utf8.ValidString(out) || proc.Escape(out) != out {
			t.Fatalf("%q: %q", s, out)
		}
		for _, r := range out {
			if r != '\n' && r != '\t' && r != '\u200c' && r != '\u200d' && !unicode.IsGraphic(r) {
				t.Fatalf("%q passed %U", s, r)
			}
		}
	})
}

// The law: one line, printable, within the bound, and clean already.
func FuzzClean(f *testing.F) {
	hostile(f)
	f.Fuzz(func(t *testing.T, s string, limit int) {
		out := proc.Clean(s, limit)
		if !utf8.ValidString(out) || utf8.RuneCountInString(out) > max(limit, 0) || strings.TrimSpace(out) != out && !strings.HasSuffix(out, " …") {
			t.Fatalf("Clean(%q, %d) = %q", s, limit, out)
		}
		if again := proc.Clean(out, limit); again != out || proc.Escape(out) != out || strings.ContainsAny(out, "\n\t") {
			t.Fatalf("Clean(%q, %d) = %q, then %q", s, limit, out, again)
		}
	})
}

func TestEnviron(t *testing.T) {
	t.Parallel()
	got := proc.Environ([]string{
		"PATH=/bin", "HOME=/h", "X=1", "X=2", "EMPTY=", "nonsense",
		"CLAUDECODE=1", "CLAUDE_CODE_ENTRYPOINT=cli", "CLAUDE_CODE_SSE_PORT=1", "CLAUDE_CODE_SESSION_ID=s", "CODEX_SANDBOX=seatbelt",
		"CODEX_THREAD_ID=t", "GEMINI_CLI=1", "OPENCODE=1", "QWEN_CODE=1", "QWEN_CODE_SESSION_ID=q", "COPILOT_CLI=1", "PI_CODING_AGENT=1", "AGENT=amp", "GEMINI_PROJECT_DIR=/p", "CURSOR_AGENT=1", "CURSOR_TRACE_ID=c", "AUTOBUILD_NONCE=n",
		"GIT_DIR=/other", "GIT_INDEX_FILE=/i", "GIT_AUTHOR_NAME=me",
		"CLAUDE_CODE_OAUTH_TOKEN=keep", "CLAUDE_CODE_MAX_RETRIES=3", "CLAUDE_CONFIG_DIR=/c", "ANTHROPIC_API_KEY=keep", "CODEX_HOME=/x",
		"CODEX_API_KEY=keep", "GEMINI_API_KEY=keep", "OPENCODE_CONFIG=/o", "GITHUB_TOKEN=keep", "AUTOBUILD_AGENT=claude",
	}, map[string]string{"X": "3", "AUTOBUILD_NONCE": "ours", "GIT_DIR": "/ours"})
	want := []string{
		"ANTHROPIC_API_KEY=keep", "AUTOBUILD_AGENT=claude", "AUTOBUILD_NONCE=ours", "CLAUDE_CODE_MAX_RETRIES=3", "CLAUDE_CODE_OAUTH_TOKEN=keep",
		"CLAUDE_CONFIG_DIR=/c", "CODEX_API_KEY=keep", "CODEX_HOME=/x", "EMPTY=", "GEMINI_API_KEY=keep", "GITHUB_TOKEN=keep", "GIT_DIR=/ours", "HOME=/h",
		"OPENCODE_CONFIG=/o", "PATH=/bin", "X=3",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
