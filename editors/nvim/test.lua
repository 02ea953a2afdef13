-- What editors/nvim/test runs: a session of a real Neovim without a screen. It prints what the editor shows and ends with an error
-- unless that is what it should be.

local function check(ok, what)
  if not ok then
    io.stderr:write("nvim: not so: " .. what .. "\n")
    vim.cmd("cquit 1")
  end
  print("ok: " .. what)
end

package.path = vim.env.HEDDLE_NVIM .. "/?.lua;" .. package.path
local attached = false
require("heddle").setup {
  cmd = { vim.env.HEDDLE, "lsp" },
  on_attach = function()
    attached = true
  end,
}
vim.cmd("edit " .. vim.env.HEDDLE_FILE)

check(vim.wait(20000, function() return attached end, 10), "the buffer is attached")
check(vim.wait(20000, function() return #vim.diagnostic.get(0) > 0 end, 10), "diagnostics appear")
local d = vim.diagnostic.get(0)[1]
check(d.lnum == 2 and d.col == 1 and d.end_col == 9 and d.source == "heddle", "at v_ad_f32: " .. d.message:gsub("\n", " "))

local function ask(method, line, col, more)
  local params = vim.tbl_extend("force", { textDocument = vim.lsp.util.make_text_document_params(), position = { line = line, character = col } }, more or {})
  local answers = vim.lsp.buf_request_sync(0, method, params, 20000)
  for _, a in pairs(answers or {}) do
    return a.result
  end
end

local h = ask("textDocument/hover", 1, 8)
check(h and h.contents.value:find("v_mul_f32", 1, true) and h.contents.value:find("Meaning", 1, true), "hover shows the instruction")
local c = ask("textDocument/completion", 1, 8)
check(c and #c.items > 0, "completion offers " .. #c.items)

-- The label is renamed where it is defined and where it is named.
vim.api.nvim_win_set_cursor(0, { 4, 17 })
vim.lsp.buf.rename("again")
check(vim.wait(20000, function() return vim.api.nvim_buf_get_lines(0, 1, 2, true)[1]:find("^again:") ~= nil end, 10), "rename changes the definition")
check(vim.api.nvim_buf_get_lines(0, 3, 4, true)[1]:find("again", 1, true), "and the branch")

-- The quick fix is applied, and the diagnostic goes.
local fixes = ask("textDocument/codeAction", 0, 0, { range = { start = { line = 2, character = 1 }, ["end"] = { line = 2, character = 9 } }, context = { diagnostics = {} } })
check(fixes and #fixes == 1, "a quick fix: " .. fixes[1].title)
vim.lsp.util.apply_workspace_edit(fixes[1].edit, "utf-16")
check(vim.wait(20000, function() return #vim.diagnostic.get(0) == 0 end, 10), "without the error no diagnostic is left")
vim.cmd("qall!")
