//! What is ordinary wgpu: the two shaders, run on the shared buffer and texture, and their record read back.

use std::time::Duration;

use example_support::{Error, Result};
use wgpu::util::DeviceExt;

/// The buffer's words and the texture's width and height.
#[derive(Clone, Copy)]
pub struct ResourceSizes {
    pub words: u32,
    pub width: u32,
    pub height: u32,
}

pub struct ComputeShaders<'a> {
    device: &'a wgpu::Device,
    queue: &'a wgpu::Queue,
    buffer: &'a wgpu::Buffer,
    texture: &'a wgpu::Texture,
    fill: wgpu::ComputePipeline,
    look: wgpu::ComputePipeline,
    record: wgpu::Buffer,
    groups: [u32; 2],
}

impl<'a> ComputeShaders<'a> {
    /// `record` is the size in bytes of all that [`record_read_pass`](Self::record_read_pass) records.
    pub fn new(
        (device, queue): (&'a wgpu::Device, &'a wgpu::Queue),
        (buffer, texture): (&'a wgpu::Buffer, &'a wgpu::Texture),
        sizes: ResourceSizes,
        record: u64,
    ) -> Self {
        let module = device.create_shader_module(wgpu::include_wgsl!("shader.wgsl"));
        let constants = [
            ("words", f64::from(sizes.words)),
            ("width", f64::from(sizes.width)),
            ("height", f64::from(sizes.height)),
        ];
        let pipeline = |entry_point| {
            device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some(entry_point),
                layout: None,
                module: &module,
                entry_point: Some(entry_point),
                compilation_options: wgpu::PipelineCompilationOptions {
                    constants: &constants,
                    ..Default::default()
                },
                cache: None,
            })
        };
        let columns = sizes.width.div_ceil(8);
        let rows = sizes.height.div_ceil(8).max(sizes.words.div_ceil(columns * 64));
        Self {
            fill: pipeline("fill"),
            look: pipeline("look"),
            record: device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("record"),
                size: record,
                usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC,
                mapped_at_creation: false,
            }),
            groups: [columns, rows],
            device,
            queue,
            buffer,
            texture,
        }
    }

    /// Records the shader that fills the buffer and the texture.
    pub fn record_write_pass(&self, seed: u32) -> wgpu::CommandBuffer {
        let view = self.texture.create_view(&wgpu::TextureViewDescriptor::default());
        let texture_out =
            wgpu::BindGroupEntry { binding: 2, resource: wgpu::BindingResource::TextureView(&view) };
        self.record_pass(&self.fill, [seed, 0], &[texture_out])
    }

    /// Records the shader that reads the buffer and the texture and writes what it saw to the record, from a word on.
    pub fn record_read_pass(&self, start: u32) -> wgpu::CommandBuffer {
        let view = self.texture.create_view(&wgpu::TextureViewDescriptor::default());
        let texture_in =
            wgpu::BindGroupEntry { binding: 3, resource: wgpu::BindingResource::TextureView(&view) };
        let record = wgpu::BindGroupEntry { binding: 4, resource: self.record.as_entire_binding() };
        self.record_pass(&self.look, [0, start], &[texture_in, record])
    }

    fn record_pass(
        &self,
        pipeline: &wgpu::ComputePipeline,
        turn: [u32; 2],
        entries: &[wgpu::BindGroupEntry<'_>],
    ) -> wgpu::CommandBuffer {
        let contents: Vec<u8> = turn.into_iter().flat_map(u32::to_ne_bytes).collect();
        let turn = self.device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
            label: Some("turn"),
            contents: &contents,
            usage: wgpu::BufferUsages::UNIFORM,
        });
        let mut all = vec![
            wgpu::BindGroupEntry { binding: 0, resource: turn.as_entire_binding() },
            wgpu::BindGroupEntry { binding: 1, resource: self.buffer.as_entire_binding() },
        ];
        all.extend_from_slice(entries);
        let bind_group = self.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &pipeline.get_bind_group_layout(0),
            entries: &all,
        });
        let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, &bind_group, &[]);
        pass.dispatch_workgroups(self.groups[0], self.groups[1], 1);
        drop(pass);
        encoder.finish()
    }

    /// Waits for all submissions, for `timeout` at most, and returns the record.
    pub fn wait_for_record(&self, timeout: Duration) -> Result<Vec<u8>> {
        let staging = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("staging"),
            size: self.record.size(),
            usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        encoder.copy_buffer_to_buffer(&self.record, 0, &staging, 0, self.record.size());
        let submission_index = Some(self.queue.submit([encoder.finish()]));
        staging.map_async(wgpu::MapMode::Read, .., |_| {});
        self.device
            .poll(wgpu::PollType::Wait { submission_index, timeout: Some(timeout) })
            .map_err(|error| Error::Failed(format!("wgpu's work is not complete: {error}")))?;
        let bytes = staging.get_mapped_range(..).map_err(|error| Error::Failed(error.to_string()))?;
        Ok(bytes.to_vec())
    }
}
