# Runs the phases of a plan as stories of ralph-tui; exit 0: it says that all of them are done.
set -euo pipefail
{
	printf '{"name": "Contest", "description": "See plan.md", "branchName": "main", "userStories": ['
	comma= priority=1
	for phase in $CONTEST_PHASES; do
		printf '%s{"id": "PHASE-%s", "title": "Phase %s", "description": "Phase %s of plan.md", ' \
			"$comma" "$phase" "$phase" "$phase"
		printf '"acceptanceCriteria": ["as in plan.md"], "priority": %d, "passes": false, ' "$priority"
		printf '"dependsOn": []}'
		comma=, priority=$((priority + 1))
	done
	printf ']}\n'
} >"$TMPDIR/prd.json"
ralph-tui run --prd "$TMPDIR/prd.json" --headless --no-setup --no-notify --agent claude \
	--iterations $((priority * 2)) --delay 0 --serial </dev/null || true
rm -rf .ralph-tui
! grep -q '"passes": false' "$TMPDIR/prd.json"
