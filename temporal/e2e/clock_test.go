//go:build linux

package e2e

import (
	"bytes"
	"context"
	"testing"
	"time"

	"autobuild/temporal/worker"
)

// A usage limit of seconds is waited for that long, however wrong the clocks of workers are.
func TestWrongClocks(t *testing.T) {
	needsLong(t)
	for _, wrong := range []time.Duration{9 * time.Hour, -9 * time.Hour} {
		l := newLab(t)
		l.repo("app", map[string]string{
			"plan.md":        plan("1:|true", "2: 1|true"),
			"autobuild.yaml": "agents:\n  limited: {command: [sh, agent.sh]}\n",
			"agent.sh": `cat > /dev/null
if [ ! -e ` + l.dir + `/met-$AUTOBUILD_PHASE_ID ]; then
  : > ` + l.dir + `/met-$AUTOBUILD_PHASE_ID
  echo '{"error": "You have hit your usage limit, try again in 4 seconds"}'
  exit 1
fi
echo $AUTOBUILD_PHASE_ID > $AUTOBUILD_PHASE_ID.num
echo "{\"nonce\": \"$AUTOBUILD_NONCE\", \"phase_id\": \"$AUTOBUILD_PHASE_ID\", \"status\": \"complete\", \"tasks\": {\"total\": 1, \"completed\": 1}}" > $AUTOBUILD_RESULT_FILE
`,
		})
		ctx, cancel := context.WithCancel(t.Context())
		ended, out := make(chan error, 1), new(output)
		go func() {
			ended <- worker.Run(ctx, worker.Options{
				Repo: l.dir + "/app.git", Dir: l.dir + "/worker", Beat: time.Second, Environ: l.env,
				Out: out, Now: func() time.Time { return time.Now().Add(wrong) },
			})
		}()
		run := l.start("app", nil, "plan.md", "--agent=limited", "--commit=auto", "--progress=plain",
			"--sandbox=off", "--allow-unverified", "--referee=off")
		l.await("the end of the run", func() bool {
			select {
			case <-run.done:
				return true
			default:
				return false
			}
		})
		l.complete(run, "app", "1", "2")
		if !bytes.Contains([]byte(run.out.String()), []byte("limit")) {
			t.Errorf("no limit was met:\n%s", run.out)
		}
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	}
}
