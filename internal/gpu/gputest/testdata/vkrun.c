// vkrun runs a Vulkan compute shader and prints what its buffers hold afterwards. It is an ordinary Vulkan program: the
// tests run it on the GPU that heddle stands for and on lavapipe.
//
//	vkrun SHADER.spv X Y Z [-p HEX] [-i] [-c] [-n TIMES] [-s SUBMITS] [-b BYTES[:SEED]]... [-t WIDTHxHEIGHT[:linear|:FORMAT,BYTES]]...
//		[-x FORMAT,BYTES,SIDE,KIND,WIDTH,HEIGHT,DEPTH,LEVELS,LAYERS,SAMPLER,MODES]...
//		[-m FORMAT,WIDTH,HEIGHT,SAMPLES,LAYERS,USAGE]...
//
// -p is push constants, -i an indirect dispatch, -c a queue without graphics if there is one, -n the number of dispatches in a command buffer, with barriers between,
// -s how often it is submitted and waited for. Buffer k is storage buffer k of set 0, filled with a sequence of SEED; 0
// fills it with zeros. Images follow the buffers: storage images, R32_UINT or a number of VkFormat with BYTES of a texel, filled by a copy from a buffer and copied
// back; they are printed after the buffers.
// -m is a storage image of several samples a pixel, and the next binding is the same as a sampled image; USAGE is more bits of its usage, 0 LAYERS make it no array. They are the
// last bindings. Nothing is copied to them or from them.
// -x is a sampled image with a sampler, after the images: FORMAT a number of VkFormat, BYTES of a texel, or of a block of SIDE by SIDE texels,
// KIND 1, 2, 3 dimensions, or 6 a cube, of LAYERS times six faces. SAMPLER 0 is nearest, the last texel; 1 linear, repeated; 2 linear, with a border
// of opaque black. It is filled by copies from a buffer. With MODES the blocks have the modes of BC7 (7) or BC6H (6) in turn.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>

#define MAX 16

static void check(VkResult r, const char *what) {
	if (r != VK_SUCCESS) {
		fprintf(stderr, "vkrun: %s: %d\n", what, r);
		exit(1);
	}
}

#define CALL(f, ...) check(f(__VA_ARGS__), #f)

static VkPhysicalDevice gpu;
static VkDevice dev;

typedef struct {
	VkBuffer buf;
	VkDeviceMemory mem;
	uint32_t *map;
	size_t size;
} Buffer;

static VkDeviceMemory allocate(VkMemoryRequirements need, VkMemoryPropertyFlags want) {
	VkPhysicalDeviceMemoryProperties p;
	vkGetPhysicalDeviceMemoryProperties(gpu, &p);
	for (uint32_t i = 0; i < p.memoryTypeCount; i++) {
		if ((need.memoryTypeBits >> i & 1) && (p.memoryTypes[i].propertyFlags & want) == want) {
			VkMemoryAllocateInfo info = {VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = need.size, .memoryTypeIndex = i};
			VkDeviceMemory m;
			CALL(vkAllocateMemory, dev, &info, 0, &m);
			return m;
		}
	}
	check(VK_ERROR_FEATURE_NOT_PRESENT, "a type of memory");
	return 0;
}

static Buffer make_buffer(size_t size, VkBufferUsageFlags usage) {
	Buffer b = {.size = size};
	VkBufferCreateInfo info = {VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = size, .usage = usage};
	CALL(vkCreateBuffer, dev, &info, 0, &b.buf);
	VkMemoryRequirements need;
	vkGetBufferMemoryRequirements(dev, b.buf, &need);
	b.mem = allocate(need, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
	CALL(vkBindBufferMemory, dev, b.buf, b.mem, 0);
	CALL(vkMapMemory, dev, b.mem, 0, VK_WHOLE_SIZE, 0, (void **)&b.map);
	return b;
}

// fill writes a sequence that depends on the seed; seed 0 writes zeros.
static void fill(Buffer *b, uint32_t seed) {
	uint32_t x = seed;
	for (size_t i = 0; i < b->size / 4; i++) {
		x = x * 1664525u + 1013904223u;
		b->map[i] = seed ? x ^ x >> 13 : 0;
	}
}

typedef struct {
	VkImage img;
	VkImageView view;
	uint32_t w, h;
	Buffer copy;
} Image;

static Image make_image(uint32_t w, uint32_t h, VkImageTiling tiling, int32_t format, int32_t bytes) {
	Image m = {.w = w, .h = h};
	VkImageCreateInfo info = {VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO, .imageType = VK_IMAGE_TYPE_2D, .format = format,
		.extent = {w, h, 1}, .mipLevels = 1, .arrayLayers = 1, .samples = 1, .tiling = tiling,
		.usage = VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT};
	CALL(vkCreateImage, dev, &info, 0, &m.img);
	VkMemoryRequirements need;
	vkGetImageMemoryRequirements(dev, m.img, &need);
	CALL(vkBindImageMemory, dev, m.img, allocate(need, 0), 0);
	VkImageViewCreateInfo view = {VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO, .image = m.img, .viewType = VK_IMAGE_VIEW_TYPE_2D,
		.format = info.format, .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
	CALL(vkCreateImageView, dev, &view, 0, &m.view);
	m.copy = make_buffer((size_t)w * h * bytes, VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT);
	fill(&m.copy, w * 31 + h);
	return m;
}

typedef struct {
	int32_t format, bytes, side, kind, w, h, d, levels, layers, sampler, modes;
	VkImage img;
	VkImageView view;
	VkSampler smp;
	Buffer copy;
	uint32_t ncopies;
	VkBufferImageCopy copies[16];
} Texture;

typedef struct {
	int32_t format, w, h, samples, layers, usage;
	VkImage img;
	VkImageView view;
} Multi;

static void make_multi(Multi *m) {
	VkImageCreateInfo info = {VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO, .imageType = VK_IMAGE_TYPE_2D, .format = m->format, .extent = {m->w, m->h, 1},
		.mipLevels = 1, .arrayLayers = m->layers ? m->layers : 1, .samples = m->samples, .usage = VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_SAMPLED_BIT | m->usage};
	CALL(vkCreateImage, dev, &info, 0, &m->img);
	VkMemoryRequirements need;
	vkGetImageMemoryRequirements(dev, m->img, &need);
	CALL(vkBindImageMemory, dev, m->img, allocate(need, 0), 0);
	VkImageViewCreateInfo view = {VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO, .image = m->img, .viewType = m->layers ? VK_IMAGE_VIEW_TYPE_2D_ARRAY : VK_IMAGE_VIEW_TYPE_2D,
		.format = info.format, .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, info.arrayLayers}};
	CALL(vkCreateImageView, dev, &view, 0, &m->view);
}

static int32_t side_at(int32_t n, int level) { return n >> level > 1 ? n >> level : 1; }

// put_modes gives the blocks of 16 bytes each mode of their format in turn.
static void put_modes(Buffer *b, int kind) {
	uint8_t *p = (uint8_t *)b->map;
	for (size_t i = 0; i + 16 <= b->size; i += 16) {
		unsigned n = i / 16;
		if (kind == 6)
			p[i] = (p[i] & ~31) | n % 32;
		else
			p[i] = n % 9 == 8 ? 0 : (p[i] << (n % 9) << 1) | 1 << n % 9;
	}
}

static void make_texture(Texture *t) {
	VkImageType type = t->kind == 1 ? VK_IMAGE_TYPE_1D : t->kind == 3 ? VK_IMAGE_TYPE_3D : VK_IMAGE_TYPE_2D;
	VkImageCreateInfo info = {VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO, .flags = t->kind == 6 ? VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT : 0, .imageType = type,
		.format = t->format, .extent = {t->w, t->h, t->d}, .mipLevels = t->levels, .arrayLayers = t->layers, .samples = 1,
		.usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT};
	CALL(vkCreateImage, dev, &info, 0, &t->img);
	VkMemoryRequirements need;
	vkGetImageMemoryRequirements(dev, t->img, &need);
	CALL(vkBindImageMemory, dev, t->img, allocate(need, 0), 0);
	VkImageViewType views[] = {[1] = VK_IMAGE_VIEW_TYPE_1D_ARRAY, [2] = VK_IMAGE_VIEW_TYPE_2D_ARRAY, [3] = VK_IMAGE_VIEW_TYPE_3D, [6] = VK_IMAGE_VIEW_TYPE_CUBE};
	VkImageViewCreateInfo view = {VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO, .image = t->img, .viewType = views[t->kind],
		.format = info.format, .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, t->levels, 0, t->layers}};
	CALL(vkCreateImageView, dev, &view, 0, &t->view);
	VkFilter f = t->sampler ? VK_FILTER_LINEAR : VK_FILTER_NEAREST;
	VkSamplerAddressMode wraps[] = {VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE, VK_SAMPLER_ADDRESS_MODE_REPEAT, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER};
	VkSamplerAddressMode a = wraps[t->sampler];
	VkSamplerCreateInfo smp = {VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO, .magFilter = f, .minFilter = f,
		.mipmapMode = t->sampler ? VK_SAMPLER_MIPMAP_MODE_LINEAR : VK_SAMPLER_MIPMAP_MODE_NEAREST,
		.addressModeU = a, .addressModeV = a, .addressModeW = a, .maxLod = 16, .borderColor = VK_BORDER_COLOR_FLOAT_OPAQUE_BLACK};
	CALL(vkCreateSampler, dev, &smp, 0, &t->smp);
	size_t at = 0;
	for (int l = 0; l < t->levels; l++) {
		VkBufferImageCopy c = {.bufferOffset = at, .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, l, 0, t->layers},
			.imageExtent = {side_at(t->w, l), side_at(t->h, l), side_at(t->d, l)}};
		t->copies[t->ncopies++] = c;
		at += (size_t)(c.imageExtent.width + t->side - 1) / t->side * ((c.imageExtent.height + t->side - 1) / t->side) * c.imageExtent.depth * t->layers * t->bytes;
		at = (at + 15) & ~(size_t)15;
	}
	t->copy = make_buffer(at, VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
	fill(&t->copy, t->w * 31 + t->h * 7 + t->format);
	if (t->modes)
		put_modes(&t->copy, t->modes);
}

static Buffer bufs[MAX];
static Texture texs[MAX];
static Multi multis[MAX];
static uint32_t ntexs, nmultis;
static Image imgs[MAX];
static uint32_t nbufs, nimgs, groups[3], times = 1, submits = 1, indirect, compute, family, npush;
static uint8_t push[128];
static uint32_t seeds[MAX];
static struct { uint32_t w, h; VkImageTiling tiling; int32_t format, bytes; } shapes[MAX];
static size_t sizes[MAX];

static void parse(int argc, char **argv) {
	if (argc < 5) {
		fprintf(stderr, "usage: vkrun SHADER.spv X Y Z [-p HEX] [-i] [-c] [-n TIMES] [-s SUBMITS] [-b BYTES[:SEED]]... [-t WxH[:linear|:FORMAT,BYTES]]... [-x FORMAT,BYTES,SIDE,KIND,WIDTH,HEIGHT,DEPTH,LEVELS,LAYERS,SAMPLER,MODES]... [-m FORMAT,WIDTH,HEIGHT,SAMPLES,LAYERS,USAGE]...\n");
		exit(2);
	}
	for (int i = 0; i < 3; i++)
		groups[i] = atoi(argv[2 + i]);
	for (int i = 5; i < argc; i++) {
		char c = argv[i][1];
		if (c == 'i' || c == 'c') {
			*(c == 'i' ? &indirect : &compute) = 1;
			continue;
		}
		char *v = ++i < argc ? argv[i] : "", *colon = strchr(v, ':');
		switch (c) {
		case 'p':
			for (; v[2 * npush] && v[2 * npush + 1]; npush++)
				sscanf(v + 2 * npush, "%2hhx", &push[npush]);
			break;
		case 'n': times = atoi(v); break;
		case 's': submits = atoi(v); break;
		case 'b':
			sizes[nbufs] = strtoul(v, 0, 0);
			seeds[nbufs++] = colon ? atoi(colon + 1) : 1;
			break;
		case 'm': {
			Multi *m = &multis[nmultis++];
			sscanf(v, "%d,%d,%d,%d,%d,%d", &m->format, &m->w, &m->h, &m->samples, &m->layers, &m->usage);
			break;
		}
		case 'x': {
			Texture *t = &texs[ntexs++];
			sscanf(v, "%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d", &t->format, &t->bytes, &t->side, &t->kind, &t->w, &t->h, &t->d, &t->levels, &t->layers, &t->sampler, &t->modes);
			break;
		}
		case 't':
			sscanf(v, "%ux%u", &shapes[nimgs].w, &shapes[nimgs].h);
			shapes[nimgs].format = VK_FORMAT_R32_UINT;
			shapes[nimgs].bytes = 4;
			int given = colon && sscanf(colon, ":%d,%d", &shapes[nimgs].format, &shapes[nimgs].bytes) == 2;
			shapes[nimgs++].tiling = colon && !given ? VK_IMAGE_TILING_LINEAR : VK_IMAGE_TILING_OPTIMAL;
			break;
		}
	}
}

static void open_device(void) {
	VkApplicationInfo app = {VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_2};
	VkInstanceCreateInfo info = {VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &app};
	VkInstance inst;
	CALL(vkCreateInstance, &info, 0, &inst);
	uint32_t n = 1;
	VkResult r = vkEnumeratePhysicalDevices(inst, &n, &gpu);
	check(r == VK_INCOMPLETE ? VK_SUCCESS : r, "vkEnumeratePhysicalDevices");
	if (n == 0)
		check(VK_ERROR_INITIALIZATION_FAILED, "a device");
	VkPhysicalDeviceProperties p;
	vkGetPhysicalDeviceProperties(gpu, &p);
	fprintf(stderr, "vkrun: %s\n", p.deviceName);
	VkPhysicalDeviceVulkan11Features f11 = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES};
	VkPhysicalDeviceVulkan12Features f12 = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, .pNext = &f11};
	VkPhysicalDeviceFeatures2 f = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &f12};
	vkGetPhysicalDeviceFeatures2(gpu, &f);
	VkQueueFamilyProperties fam[8];
	n = 8;
	vkGetPhysicalDeviceQueueFamilyProperties(gpu, &n, fam);
	for (uint32_t i = 0; compute && i < n; i++)
		if ((fam[i].queueFlags & (VK_QUEUE_COMPUTE_BIT | VK_QUEUE_GRAPHICS_BIT)) == VK_QUEUE_COMPUTE_BIT)
			family = i;
	float one = 1;
	VkDeviceQueueCreateInfo q = {VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueFamilyIndex = family, .queueCount = 1, .pQueuePriorities = &one};
	VkDeviceCreateInfo d = {VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .pNext = &f, .queueCreateInfoCount = 1, .pQueueCreateInfos = &q};
	CALL(vkCreateDevice, gpu, &d, 0, &dev);
}

static VkShaderModule load(const char *name) {
	FILE *f = fopen(name, "rb");
	if (!f) {
		perror(name);
		exit(2);
	}
	static uint32_t code[1 << 18];
	size_t n = fread(code, 1, sizeof code, f);
	fclose(f);
	VkShaderModuleCreateInfo info = {VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = n, .pCode = code};
	VkShaderModule m;
	CALL(vkCreateShaderModule, dev, &info, 0, &m);
	return m;
}

static void barrier(VkCommandBuffer cmd) {
	VkMemoryBarrier b = {VK_STRUCTURE_TYPE_MEMORY_BARRIER, .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
		.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT};
	vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 1, &b, 0, 0, 0, 0);
}

static void layout(VkCommandBuffer cmd, VkImage img, uint32_t levels, uint32_t layers, VkImageLayout from, VkImageLayout to) {
	VkImageMemoryBarrier b = {VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER, .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
		.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT, .oldLayout = from, .newLayout = to,
		.image = img, .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, levels, 0, layers}};
	vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, 0, 0, 0, 1, &b);
}

static VkPipelineLayout pipe_layout;
static VkDescriptorSet set;
static VkPipeline pipe;

static void make_pipeline(const char *name) {
	VkDescriptorSetLayoutBinding b[5 * MAX];
	uint32_t singles = nbufs + nimgs + ntexs, n = singles + 2 * nmultis;
	for (uint32_t i = 0; i < n; i++) {
		VkDescriptorType type = i >= singles ? ((i - singles) % 2 ? VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE : VK_DESCRIPTOR_TYPE_STORAGE_IMAGE) : i < nbufs ? VK_DESCRIPTOR_TYPE_STORAGE_BUFFER : i < nbufs + nimgs ? VK_DESCRIPTOR_TYPE_STORAGE_IMAGE : VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
		b[i] = (VkDescriptorSetLayoutBinding){i, type, 1, VK_SHADER_STAGE_COMPUTE_BIT};
	}
	VkDescriptorSetLayoutCreateInfo sl = {VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = n, .pBindings = b};
	VkDescriptorSetLayout set_layout;
	CALL(vkCreateDescriptorSetLayout, dev, &sl, 0, &set_layout);
	VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, (npush + 3) & ~3u};
	VkPipelineLayoutCreateInfo pl = {VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, .setLayoutCount = 1, .pSetLayouts = &set_layout,
		.pushConstantRangeCount = npush > 0, .pPushConstantRanges = &range};
	CALL(vkCreatePipelineLayout, dev, &pl, 0, &pipe_layout);
	VkComputePipelineCreateInfo p = {VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO, .layout = pipe_layout,
		.stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, .stage = VK_SHADER_STAGE_COMPUTE_BIT, .module = load(name), .pName = "main"}};
	CALL(vkCreateComputePipelines, dev, 0, 1, &p, 0, &pipe);
	VkDescriptorPoolSize ps[] = {{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, MAX}, {VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, MAX}, {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, MAX},
		{VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, MAX}};
	VkDescriptorPoolCreateInfo pool_info = {VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = 1, .poolSizeCount = 4, .pPoolSizes = ps};
	VkDescriptorPool pool;
	CALL(vkCreateDescriptorPool, dev, &pool_info, 0, &pool);
	VkDescriptorSetAllocateInfo sa = {VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, .descriptorPool = pool, .descriptorSetCount = 1, .pSetLayouts = &set_layout};
	CALL(vkAllocateDescriptorSets, dev, &sa, &set);
	for (uint32_t i = 0; i < n; i++) {
		VkDescriptorBufferInfo bi = {i < nbufs ? bufs[i].buf : 0, 0, VK_WHOLE_SIZE};
		VkDescriptorImageInfo ii = {.imageLayout = VK_IMAGE_LAYOUT_GENERAL};
		if (i >= singles) {
			ii.imageView = multis[(i - singles) / 2].view;
		} else if (i >= nbufs + nimgs) {
			ii.imageView = texs[i - nbufs - nimgs].view;
			ii.sampler = texs[i - nbufs - nimgs].smp;
		} else if (i >= nbufs) {
			ii.imageView = imgs[i - nbufs].view;
		}
		VkWriteDescriptorSet w = {VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, .dstSet = set, .dstBinding = i, .descriptorCount = 1,
			.descriptorType = b[i].descriptorType, .pBufferInfo = &bi, .pImageInfo = &ii};
		vkUpdateDescriptorSets(dev, 1, &w, 0, 0);
	}
}

static void record(VkCommandBuffer cmd, VkBuffer args) {
	VkCommandBufferBeginInfo begin = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
	CALL(vkBeginCommandBuffer, cmd, &begin);
	for (uint32_t i = 0; i < nimgs; i++) {
		VkBufferImageCopy c = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, .imageExtent = {imgs[i].w, imgs[i].h, 1}};
		layout(cmd, imgs[i].img, 1, 1, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
		vkCmdCopyBufferToImage(cmd, imgs[i].copy.buf, imgs[i].img, VK_IMAGE_LAYOUT_GENERAL, 1, &c);
	}
	for (uint32_t i = 0; i < nmultis; i++)
		layout(cmd, multis[i].img, 1, VK_REMAINING_ARRAY_LAYERS, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
	for (uint32_t i = 0; i < ntexs; i++) {
		Texture *t = &texs[i];
		layout(cmd, t->img, t->levels, t->layers, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
		vkCmdCopyBufferToImage(cmd, t->copy.buf, t->img, VK_IMAGE_LAYOUT_GENERAL, t->ncopies, t->copies);
	}
	barrier(cmd);
	vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, pipe);
	vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, pipe_layout, 0, 1, &set, 0, 0);
	if (npush)
		vkCmdPushConstants(cmd, pipe_layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, (npush + 3) & ~3u, push);
	for (uint32_t i = 0; i < times; i++) {
		if (indirect)
			vkCmdDispatchIndirect(cmd, args, 0);
		else
			vkCmdDispatch(cmd, groups[0], groups[1], groups[2]);
		barrier(cmd);
	}
	for (uint32_t i = 0; i < nimgs; i++) {
		VkBufferImageCopy c = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, .imageExtent = {imgs[i].w, imgs[i].h, 1}};
		vkCmdCopyImageToBuffer(cmd, imgs[i].img, VK_IMAGE_LAYOUT_GENERAL, imgs[i].copy.buf, 1, &c);
	}
	barrier(cmd);
	CALL(vkEndCommandBuffer, cmd);
}

static void print(const Buffer *b) {
	for (size_t i = 0; i < b->size / 4; i++)
		printf("%08x%c", b->map[i], i % 8 == 7 ? '\n' : ' ');
	printf("\n");
}

int main(int argc, char **argv) {
	parse(argc, argv);
	open_device();
	for (uint32_t i = 0; i < nbufs; i++) {
		bufs[i] = make_buffer(sizes[i], VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
		fill(&bufs[i], seeds[i]);
	}
	for (uint32_t i = 0; i < nimgs; i++)
		imgs[i] = make_image(shapes[i].w, shapes[i].h, shapes[i].tiling, shapes[i].format, shapes[i].bytes);
	for (uint32_t i = 0; i < ntexs; i++)
		make_texture(&texs[i]);
	for (uint32_t i = 0; i < nmultis; i++)
		make_multi(&multis[i]);
	Buffer args = make_buffer(16, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT);
	memcpy(args.map, groups, sizeof groups);
	make_pipeline(argv[1]);
	VkQueue queue;
	vkGetDeviceQueue(dev, family, 0, &queue);
	VkCommandPoolCreateInfo cp = {VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, .queueFamilyIndex = family};
	VkCommandPool pool;
	CALL(vkCreateCommandPool, dev, &cp, 0, &pool);
	VkCommandBufferAllocateInfo ca = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = pool, .commandBufferCount = 1};
	VkCommandBuffer cmd;
	CALL(vkAllocateCommandBuffers, dev, &ca, &cmd);
	record(cmd, args.buf);
	VkFenceCreateInfo fi = {VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
	VkFence fence;
	CALL(vkCreateFence, dev, &fi, 0, &fence);
	VkSubmitInfo submit = {VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &cmd};
	for (uint32_t i = 0; i < submits; i++) {
		CALL(vkQueueSubmit, queue, 1, &submit, fence);
		CALL(vkWaitForFences, dev, 1, &fence, VK_TRUE, UINT64_MAX);
		CALL(vkResetFences, dev, 1, &fence);
	}
	for (uint32_t i = 0; i < nbufs; i++)
		print(&bufs[i]);
	for (uint32_t i = 0; i < nimgs; i++)
		print(&imgs[i].copy);
	return 0;
}
