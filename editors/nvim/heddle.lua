-- Neovim as a client of heddle lsp: put this file into a folder lua/ of 'runtimepath' and call
--
--   require("heddle").setup { cmd = { "heddle", "lsp" }, settings = { isa = "gcn:gfx8" } }
--
-- or load it with :luafile, which calls setup without settings. Needs Neovim 0.7; 0.8 and later share a server among buffers,
-- 0.10 and later show the bytes of each line as inlay hints.

local M = {}

-- attach connects a buffer.
local function attach(buf, config)
  local on_attach = function(client, b)
    vim.api.nvim_buf_set_option(b, "omnifunc", "v:lua.vim.lsp.omnifunc")
    if vim.lsp.inlay_hint and vim.lsp.inlay_hint.enable and client.server_capabilities.inlayHintProvider then
      vim.lsp.inlay_hint.enable(true, { bufnr = b })
    end
    local map = function(keys, f)
      vim.keymap.set("n", keys, f, { buffer = b })
    end
    map("K", vim.lsp.buf.hover)
    map("gd", vim.lsp.buf.definition)
    map("gr", vim.lsp.buf.references)
    map("<leader>rn", vim.lsp.buf.rename)
    map("<leader>ca", vim.lsp.buf.code_action)
    if config.on_attach then
      config.on_attach(client, b)
    end
  end
  local start = {
    name = "heddle",
    cmd = config.cmd,
    root_dir = vim.fn.getcwd(),
    init_options = config.settings,
    on_attach = on_attach,
  }
  if vim.lsp.start then
    vim.lsp.start(start, { bufnr = buf })
    return
  end
  M.client = M.client or vim.lsp.start_client(start)
  vim.lsp.buf_attach_client(buf, M.client)
end

-- setup connects all buffers of assembly: files that end in .s, or of the file types asm and heddle.
function M.setup(config)
  config = vim.tbl_extend("keep", config or {}, { cmd = { "heddle", "lsp" }, settings = vim.empty_dict() })
  vim.api.nvim_create_autocmd("FileType", {
    pattern = { "asm", "heddle" },
    callback = function(args)
      attach(args.buf, config)
    end,
  })
  vim.api.nvim_create_autocmd({ "BufRead", "BufNewFile" }, {
    pattern = { "*.s", "*.gcn", "*.valhall", "*.tesla", "*.rogue", "*.attila" },
    callback = function(args)
      if vim.bo[args.buf].filetype ~= "asm" then
        vim.bo[args.buf].filetype = "asm"
      end
    end,
  })
end

if not ... then -- :luafile
  M.setup()
end

return M
