#!/bin/sh
# git, against repositories beside each other.
. "$(dirname "$0")/lib.sh"
G="git $(git --version | cut -d' ' -f3)"
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null GIT_TERMINAL_PROMPT=0
export GIT_AUTHOR_NAME=user GIT_AUTHOR_EMAIL=user@example.com GIT_COMMITTER_NAME=user GIT_COMMITTER_EMAIL=user@example.com

project repo
git init -q -b main .
mkdir -p src/api
printf 'one\ntwo\nthree\n' >src/api/routes.ts
git add -A && git commit -qm "feat: routes"
git checkout -qb feature
printf 'one\nfeature\nthree\n' >src/api/routes.ts
git commit -qam "feat: theirs"
git checkout -q main
printf 'one\nmain\nthree\n' >src/api/routes.ts
git commit -qam "feat: ours"
seen git-merge-conflict git "git merge of two changes of one line ($G)" "git merge feature"
git merge --abort
seen git-rebase-conflict git "git rebase of two changes of one line ($G)" "git rebase feature"
git rebase --abort
git diff feature main >../routes.patch
printf 'other\n' >src/api/routes.ts && git commit -qam "feat: other"
seen git-apply-failed git "git apply of a patch that does not fit ($G)" "git apply ../routes.patch"
touch .git/index.lock
seen git-index-lock git "git commit beside another git that holds the index ($G)" "git commit --allow-empty -m x" -tool "git commit -m 'feat(api): routes'"
rm .git/index.lock
seen git-unknown-branch git "git checkout of a branch that does not exist ($G)" "git checkout release"
seen git-nothing-to-commit git "git commit without a change ($G)" "git commit -m 'feat: nothing'"
git clone -q --bare . ../bare.git 2>/dev/null
git remote add origin ../bare.git
git clone -q ../bare.git ../second 2>/dev/null
(cd ../second && echo x >x && git add x && git commit -qm "feat: x" && git push -q origin main 2>/dev/null)
echo y >y && git add y && git commit -qm "feat: y"
seen git-push-rejected git "git push behind somebody else's commit ($G)" "git push origin main"
seen git-push-refused git "git push to a server that is not up ($G)" "git push http://127.0.0.1:9/shop.git main" -tool "git push origin main"
seen git-unknown-host git "git fetch from a host that no name server knows ($G)" "git fetch http://code.invalid/shop.git" -tool "git fetch origin"
seen git-ssh-missing-repo git "git clone of a repository that is not there ($G)" "git clone ../nowhere.git other" -tool "git clone ../nowhere.git"
printf '#!/bin/sh\necho "lint failed: 2 problems" >&2\nexit 1\n' >.git/hooks/pre-commit
chmod +x .git/hooks/pre-commit
seen git-hook git "git commit that a hook refuses ($G)" "git commit --allow-empty -m 'feat: z'"
project nowhere
seen git-not-a-repository git "git status outside of a repository ($G)" "GIT_CEILING_DIRECTORIES=$SCRATCH git status" -tool "git status"
project identity
git init -q . && echo x >x && git add x
unset GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL
seen git-no-identity git "git commit without a name ($G)" "git -c user.useConfigOnly=true commit -m x" -tool "git commit -m x"
